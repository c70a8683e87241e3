import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { parseJson } from '../../base/json/parse-json';
import { AGENT_NAMES, type AgentCall } from '../protocol/agent-call';
import type { AgentContract, EventAnswer, GuardedEvent, GuardedEventOf, WrittenAnswer } from './agent';
import {
  addedText,
  DeniedError,
  joined,
  refusalText,
  writeAnswer,
  type AnswerObject,
  type AnswerParts,
  type AnswerWriter,
} from './answers';
import { changedInput } from './changed-input';
import {
  jsonText,
  parsePayload,
  partsText,
  readEvent,
  textIn,
  type Payload,
  type PayloadReader,
  type ReadResult,
} from './payload';
import { translateCall } from './tool-calls';

/** Cursor also runs hooks of Claude Code, and may then name tools as Claude Code does. */
const NAMINGS = ['cursor', 'claude'] as const;

/**
 * Cursor's names of events, and those of Claude Code. `preToolUse` is called before every tool: the events for commands, MCP and
 * files would tell of the same call again.
 */
const EVENTS = [
  { name: 'sessionStart', claudes: 'SessionStart', type: 'session_start', gates: false },
  { name: 'beforeSubmitPrompt', claudes: 'UserPromptSubmit', type: 'prompt', gates: true },
  { name: 'preToolUse', claudes: 'PreToolUse', type: 'tool_call', gates: true },
  { name: 'postToolUse', claudes: 'PostToolUse', type: 'tool_result', gates: true },
  { name: 'postToolUseFailure', claudes: 'PostToolUseFailure', type: 'tool_result', gates: false },
  { name: 'stop', claudes: 'Stop', type: 'stop', gates: false },
  { name: 'subagentStart', claudes: 'SubagentStart', type: 'subagent_start', gates: false },
  { name: 'subagentStop', claudes: 'SubagentStop', type: 'subagent_stop', gates: false },
  { name: 'preCompact', claudes: 'PreCompact', type: 'before_compact', gates: false },
  { name: 'sessionEnd', claudes: 'SessionEnd', type: 'session_end', gates: false },
] as const;

const READER: PayloadReader = {
  agentName: AGENT_NAMES.cursor,
  types: new Map(EVENTS.map(({ name, type }) => [name, type])),
  base: (payload, { variables }) => ({
    agent: 'cursor',
    ...defined({
      projectDir: rootIn(payload) ?? variables['CLAUDE_PROJECT_DIR'],
      version: textIn(payload, 'cursor_version'),
      model: textIn(payload, 'model'),
      turnId: textIn(payload, 'generation_id'),
    }),
  }),
  callsOf: (call, _payload, cwd) => translateCall(call, { namings: NAMINGS, cwd }),
  resultOf,
};

/** Whether a payload for a hook of Claude Code is Cursor's, which runs these hooks, too. */
export function isCursorPayload(payload: Payload): boolean {
  const { cursor_version, conversation_id, generation_id } = payload;
  return (
    typeof cursor_version === 'string' || (typeof conversation_id === 'string' && typeof generation_id === 'string')
  );
}

function read(call: AgentCall): GuardedEvent {
  const event = cursorsName(call.event);
  const payload = parsePayload(call, READER.agentName);
  return readEvent(withCommonNames(payload, event), { ...call, event }, READER);
}

/** Cursor's name of an event that a hook of Cursor or of Claude Code is called for. */
function cursorsName(event: string): string {
  return EVENTS.find(({ claudes }) => claudes === event)?.name ?? event;
}

/** The payload with the names that other agents give the same members. User hooks run in Cursor's own folder, not in the project. */
function withCommonNames(payload: Payload, event: string): Payload {
  const { hook_event_name: name, cwd, tool_input: input, loop_count: loops } = payload;
  const isSame = typeof name === 'string' && cursorsName(name) === event;
  return {
    ...payload,
    ...(isSame ? { hook_event_name: event } : {}),
    session_id: payload['parent_conversation_id'] ?? payload['conversation_id'] ?? payload['session_id'],
    cwd: cwd === undefined || cwd === null || cwd === '' ? rootIn(payload) : cwd,
    ...(payload['subagent_id'] === undefined
      ? {}
      : { agent_id: payload['subagent_id'], agent_type: payload['subagent_type'] }),
    ...(typeof input === 'string' ? { tool_input: parsed(input) } : {}),
    ...(typeof loops === 'number' ? { stop_hook_active: loops > 0 } : {}),
  };
}

/** The first folder of the workspace. */
function rootIn({ workspace_roots: roots }: Payload): string | undefined {
  const [root] = Array.isArray(roots) ? (roots as readonly unknown[]) : [];
  return typeof root === 'string' && root !== '' ? root : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text; // The check of the payload names the member.
  }
}

function resultOf({ tool_output: output, error_message: error }: Payload): ReadResult {
  if (output === undefined) return { text: typeof error === 'string' ? error : '', isError: true, response: error };
  const value = typeof output === 'string' ? parsed(output) : output;
  const text =
    typeof value === 'string' ? value : (outputText(value) ?? (typeof output === 'string' ? output : jsonText(output)));
  return { text, isError: false, response: output };
}

/** The text in the result of a command or of an MCP tool. */
function outputText(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { stdout, stderr } = value;
  const printed = [stdout, stderr].filter(text => typeof text === 'string');
  if (printed.length === 0) return partsText(value['content']);
  return printed.filter(text => text !== '').join('\n');
}

const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    switch (cursorsName(eventName)) {
      case 'preToolUse':
        return { permission: 'deny', user_message: reason, agent_message: reason };
      case 'beforeSubmitPrompt':
        return { continue: false, user_message: reason };
      // Only of an MCP tool can the result be withheld.
      case 'postToolUse':
        return { updated_mcp_tool_output: { content: [{ type: 'text', text: reason }], isError: true } };
      default:
        return undefined;
    }
  },
  call: writeCall,
  result: writeResult,
  context: (_event, additional_context) => ({ additional_context }),
  goOn: followup_message => ({ followup_message }),
};

/** Cursor takes an answer without a permission for a failed hook, and then blocks the call. */
function writeCall(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): AnswerObject {
  const ask = parts.take('ask');
  if (ask !== undefined) {
    throw new DeniedError(`Nobody could be asked, because Cursor does not ask for hooks before every tool. ${ask}`);
  }
  return { permission: 'allow', ...defined({ updated_input: changedInput(event, parts.take('input'), NAMINGS) }) };
}

function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  const result = parts.take('result');
  const added = result === undefined ? undefined : addedText(event, result);
  const additional_context = joined(added, parts.take('context'));
  if (result === undefined || added !== undefined) return defined({ additional_context });
  const { text, isError } = result;
  return {
    updated_mcp_tool_output: { content: [{ type: 'text', text }], isError },
    ...defined({ additional_context }),
  };
}

/** An answer without what Cursor cannot take for the event, and what that is, in words. */
function withoutUnable(event: GuardedEvent, answer: EventAnswer): readonly [EventAnswer, readonly string[]] {
  const { context, result, ...others } = answer;
  if (event.type === 'prompt' && context !== undefined) return [others, ['added text']];
  if (event.type !== 'tool_result') return [answer, []];
  if (event.name === 'postToolUseFailure') {
    const given = [
      ...(result === undefined ? [] : ['a replaced result']),
      ...(context === undefined ? [] : ['added text']),
    ];
    return [others, given];
  }
  const isMcp = event.original.name.startsWith('MCP:');
  if (isMcp || result === undefined || addedText(event, result) !== undefined) return [answer, []];
  const told = result.isWithheld === true ? undefined : `A hook replaced the result of this call by: ${result.text}`;
  return [{ ...others, ...defined({ context: joined(told, context) }) }, ['a replaced result']];
}

function write(event: GuardedEvent, answer: EventAnswer): WrittenAnswer {
  const [able, unable] = answer.deny === undefined ? withoutUnable(event, answer) : ([answer, []] as const);
  const written = writeAnswer(event, able, WRITER);
  // Cursor takes no output for a failed hook.
  const output = written.output === '' ? (event.type === 'prompt' ? '{"continue":true}' : '{}') : written.output;
  return { ...written, output, unsupported: [...unable, ...written.unsupported] };
}

/**
 * Cursor, by its documentation: nobody has tried it with Hookline. It also runs the hooks of Claude Code, where a setting of it
 * says so. A hook that does not stop a call answers `allow`, since Cursor has no other word for that.
 */
export const CURSOR_AGENT: AgentContract = {
  id: 'cursor',
  name: AGENT_NAMES.cursor,
  testedVersion: undefined,
  package: undefined,
  asks: false,
  events: EVENTS,
  read,
  write,
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
