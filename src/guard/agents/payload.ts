import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import type { AgentCall } from '../protocol/agent-call';
import { BadPayloadError, type GuardedEvent, type GuardedEventBase, type TranslatedCall } from './agent';

/** The events that Claude Code and Codex name alike; `gates`: no answer is a denial. */
export const COMMON_EVENTS = [
  { name: 'SessionStart', type: 'session_start', gates: false },
  { name: 'UserPromptSubmit', type: 'prompt', gates: true },
  { name: 'PreToolUse', type: 'tool_call', gates: true },
  { name: 'PostToolUse', type: 'tool_result', gates: true },
  { name: 'Stop', type: 'stop', gates: false },
  { name: 'SubagentStart', type: 'subagent_start', gates: false },
  { name: 'SubagentStop', type: 'subagent_stop', gates: false },
  { name: 'PreCompact', type: 'before_compact', gates: false },
  { name: 'PostCompact', type: 'after_compact', gates: false },
  { name: 'SessionEnd', type: 'session_end', gates: false },
] as const;

const Text = Type.String();
const MaybeText = Type.Optional(Type.Union([Text, Type.Null()]));
const MaybeFlag = Type.Optional(Type.Boolean());

/** The members of every event. Here and below, unknown members are kept. */
const Base = Type.Object({
  session_id: Type.String({ minLength: 1 }),
  cwd: MaybeText,
  hook_event_name: MaybeText,
  agent_id: MaybeText,
  agent_type: MaybeText,
  parent_agent_id: MaybeText,
});

const Call = Type.Object({
  tool_name: Type.String({ minLength: 1 }),
  tool_input: Type.Record(Text, Type.Unknown()),
  tool_use_id: Type.Optional(Type.String({ minLength: 1 })),
});

/** What a payload must have, by the type of its event; types that are not here need nothing. */
const MEMBERS = {
  session_start: Type.Object({ source: MaybeText }),
  prompt: Type.Object({ prompt: Text }),
  tool_call: Call,
  tool_result: Call,
  stop: Type.Object({ stop_hook_active: MaybeFlag, last_assistant_message: MaybeText }),
  before_compact: Type.Object({ trigger: MaybeText, custom_instructions: MaybeText }),
  session_end: Type.Object({ reason: MaybeText }),
} as const satisfies Partial<Record<GuardedEvent['type'], TSchema>>;

/** A payload with the members of its event. */
export type Payload = Readonly<Record<string, unknown>>;

/** The text and the state of a result, as an agent's payload has them. */
export interface ReadResult {
  readonly text: string;
  readonly isError: boolean;
  readonly response: unknown;
}

/** How the payloads of one agent are read. */
export interface PayloadReader {
  /** As users know the agent. */
  readonly agentName: string;
  readonly types: ReadonlyMap<string, GuardedEvent['type']>;
  /** What the payload says beside the members that all agents have. */
  base(payload: Payload, call: AgentCall): Omit<GuardedEventBase, 'name' | 'sessionId' | 'cwd' | 'subagent'>;
  callsOf(
    call: { readonly name: string; readonly input: Payload },
    payload: Payload,
    cwd: string,
  ): readonly TranslatedCall[];
  resultOf(payload: Payload): ReadResult;
}

/**
 * The payload of a call, as an object.
 * @throws {BadPayloadError}
 */
export function parsePayload({ payload, event }: AgentCall, agentName: string): Payload {
  let parsed: unknown;
  try {
    parsed = JSON.parse(payload);
  } catch (error) {
    throw new BadPayloadError(`${agentName} sent ${event} with something that is no JSON: ${shown(error)}`);
  }
  if (!isRecord(parsed)) throw new BadPayloadError(`${agentName} sent ${event} with no object.`);
  return parsed;
}

/**
 * Reads an event. A member that is missing or of the wrong type is an error, since a gate must not decide by half a call.
 * @throws {BadPayloadError}
 */
export function readEvent(payload: Payload, call: AgentCall, reader: PayloadReader): GuardedEvent {
  const check = <T extends TSchema>(schema: T): Static<T> => checked(schema, payload, { call, reader });
  const common = check(Base);
  const name = common.hook_event_name ?? call.event;
  if (name !== call.event) {
    throw new BadPayloadError(
      `${reader.agentName} sent ${clipped(singleLine(name), 80)} to the hook of ${call.event}.`,
    );
  }
  const cwd = common.cwd ?? call.cwd;
  if (!isAbsolute(cwd)) throw bad(reader, name, '"cwd" is not absolute');
  const own = reader.base(payload, call);
  if (own.projectDir !== undefined && !isAbsolute(own.projectDir)) {
    throw bad(reader, name, 'the folder of the project is not absolute');
  }
  const base: GuardedEventBase = {
    ...own,
    name,
    // The events of a subagent of Copilot have an id of their own session.
    sessionId: common.parent_agent_id ?? common.session_id,
    cwd,
    ...(common.agent_id == null
      ? {}
      : { subagent: { id: common.agent_id, ...defined({ type: common.agent_type ?? undefined }) } }),
  };
  const type = reader.types.get(name) ?? 'other';
  switch (type) {
    case 'session_start':
      return { ...base, type, reason: startReason(check(MEMBERS[type]).source) };
    case 'prompt':
      return { ...base, type, text: check(MEMBERS[type]).prompt };
    case 'tool_call':
    case 'tool_result': {
      const { tool_name, tool_input, tool_use_id } = check(MEMBERS[type]);
      const original = { name: tool_name, input: tool_input };
      const calls = reader.callsOf(original, payload, cwd);
      const id =
        tool_use_id === undefined
          ? ({ toolCallId: madeCallId(base, calls), isMadeId: true } as const)
          : { toolCallId: tool_use_id };
      const members = { calls, original, ...id };
      return type === 'tool_call'
        ? { ...base, type, ...members }
        : { ...base, type, ...members, ...reader.resultOf(payload) };
    }
    case 'stop': {
      const { stop_hook_active, last_assistant_message } = check(MEMBERS[type]);
      const lastText = last_assistant_message ?? undefined;
      return { ...base, type, isContinued: stop_hook_active ?? false, ...defined({ lastText }) };
    }
    case 'before_compact': {
      const { trigger, custom_instructions } = check(MEMBERS[type]);
      const instructions = custom_instructions ?? undefined;
      return { ...base, type, trigger: trigger === 'manual' ? trigger : 'auto', ...defined({ instructions }) };
    }
    case 'session_end':
      return { ...base, type, reason: check(MEMBERS[type]).reason ?? 'other' };
    case 'subagent_start':
    case 'subagent_stop':
    case 'after_compact':
    case 'other':
      return { ...base, type };
  }
}

/** The id of a call of an agent that gives none: the call and its result have the same. */
export function madeCallId(
  base: Pick<GuardedEventBase, 'agent' | 'sessionId' | 'subagent'>,
  calls: readonly TranslatedCall[],
): string {
  const named = calls.map(({ toolName, input }) => [
    toolName,
    Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  const text = JSON.stringify([base.sessionId, base.subagent?.id, named]);
  return `${base.agent}-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

/** A text that a payload may have. */
export function textIn(payload: Payload, name: string): string | undefined {
  const value = payload[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value of a payload as text; empty without one. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** The texts of a list of content parts, in lines; undefined for anything else. */
export function partsText(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  return parts
    .map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part)))
    .join('\n');
}

function checked<T extends TSchema>(
  schema: T,
  payload: Payload,
  { call, reader }: { readonly call: AgentCall; readonly reader: PayloadReader },
): Static<T> {
  if (Value.Check(schema, payload)) return payload;
  const error = Value.Errors(schema, payload).First();
  throw bad(reader, call.event, `"${error?.path.slice(1) ?? ''}": ${error?.message ?? 'wrong'}`);
}

function bad({ agentName }: PayloadReader, event: string, what: string): BadPayloadError {
  return new BadPayloadError(`${agentName} sent ${event} with a payload that Hookline cannot read: ${what}.`);
}

function shown(error: unknown): string {
  return clipped(singleLine(error instanceof Error ? error.message : String(error)), 200);
}

function startReason(source: string | null | undefined): 'startup' | 'resume' | 'clear' | 'compact' {
  return source === 'resume' || source === 'clear' || source === 'compact' ? source : 'startup';
}
