import { isAbsolute } from 'node:path';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { AGENT_NAMES } from '../protocol/agent-call';
import type { AgentContract, GuardedEvent, GuardedEventOf } from './agent';
import {
  addedText,
  AnswerParts,
  DeniedError,
  joined,
  refusalText,
  writeAnswer,
  type AnswerObject,
  type AnswerWriter,
} from './answers';
import { changedInput } from './changed-input';
import { changedClineInput, clineCalls, clineInput } from './cline-tools';
import {
  jsonText,
  parsePayload,
  readEvent,
  textIn,
  type Payload,
  type PayloadReader,
  type ReadResult,
} from './payload';
import { translateCall } from './tool-calls';

const NAMINGS = ['cline'] as const;

/** The names of Cline's files for events, and of the events in their payloads. Cline waits only for those about tools. */
const EVENTS = [
  { name: 'TaskStart', own: 'agent_start', type: 'session_start', gates: false },
  { name: 'TaskResume', own: 'agent_resume', type: 'session_start', gates: false },
  { name: 'PreToolUse', own: 'tool_call', type: 'tool_call', gates: true },
  { name: 'PostToolUse', own: 'tool_result', type: 'tool_result', gates: true },
  { name: 'TaskComplete', own: 'agent_end', type: 'stop', gates: false },
  { name: 'TaskCancel', own: 'agent_abort', type: 'stop', gates: false },
  { name: 'TaskError', own: 'agent_error', type: 'stop', gates: false },
  { name: 'SessionShutdown', own: 'session_shutdown', type: 'session_end', gates: false },
] as const;

/** What the events are where a subagent tells them. */
const OF_SUBAGENT: Readonly<Partial<Record<GuardedEvent['type'], GuardedEvent['type']>>> = {
  session_start: 'subagent_start',
  stop: 'subagent_stop',
  session_end: 'subagent_stop',
};

const READER: PayloadReader = {
  agentName: AGENT_NAMES.cline,
  types: new Map(EVENTS.map(({ name, type }) => [name, type])),
  base: payload => ({
    agent: 'cline',
    ...defined({ projectDir: rootIn(payload), version: textIn(payload, 'clineVersion') }),
  }),
  callsOf: ({ name, input }, _payload, cwd) =>
    clineCalls(name, input, cwd) ?? translateCall({ name, input }, { namings: NAMINGS, cwd }),
  resultOf,
};

const SUBAGENT_READER: PayloadReader = {
  ...READER,
  types: new Map(EVENTS.map(({ name, type }) => [name, OF_SUBAGENT[type] ?? type])),
};

function rootIn({ workspaceRoots: roots }: Payload): string | undefined {
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined;
  return typeof root === 'string' && isAbsolute(root) ? root : undefined;
}

/** The payload with the names that Claude Code gives the same members. */
function withClaudesNames(payload: Payload): Payload {
  const { hookName, sessionContext, tool_call: call, tool_result: result, turn, agent_id: id } = payload;
  const tool = isRecord(call) ? call : isRecord(result) ? result : {};
  const name = String(tool['name']);
  return defined({
    ...payload,
    parent_agent_id: undefined,
    agent_id: isOfSubagent(payload) ? id : undefined,
    session_id: (isRecord(sessionContext) ? sessionContext['rootSessionId'] : undefined) ?? payload['taskId'],
    hook_event_name: EVENTS.find(({ own }) => own === hookName)?.name ?? hookName,
    source: hookName === 'agent_resume' ? 'resume' : 'startup',
    tool_name: tool['name'],
    tool_input: clineInput(name, tool['input']),
    tool_use_id: tool['id'],
    last_assistant_message: isRecord(turn) ? turn['outputText'] : undefined,
  });
}

/** An agent that another one started has that one as its parent. */
function isOfSubagent({ parent_agent_id: parent }: Payload): boolean {
  return typeof parent === 'string' && parent !== '';
}

function resultOf({ tool_result: result }: Payload): ReadResult {
  const { output, error } = isRecord(result) ? result : {};
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output];
  const isFailed = parts.some(part => isRecord(part) && part['success'] === false);
  const texts = parts.map(part =>
    isRecord(part) && typeof part['result'] === 'string' ? part['result'] : asText(part),
  );
  return { text: texts.join('\n'), isError: error !== undefined || isFailed, response: output };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

const WRITER: AnswerWriter = {
  refusal: (eventName, reason) => (isWaitedFor(eventName) ? { cancel: true, errorMessage: reason } : undefined),
  call(event, parts) {
    const ask = parts.take('ask');
    if (ask !== undefined) {
      throw new DeniedError(`Nobody could be asked, because Cline has no questions of hooks. ${ask}`);
    }
    const inputs = parts.take('input');
    const overrideInput = changedClineInput(event, inputs) ?? otherInput(event, inputs);
    return defined({ overrideInput, contextModification: parts.take('context') });
  },
  result(event, parts) {
    const context = parts.take('context');
    const result = parts.take('result');
    const added = result === undefined ? undefined : addedText(event, result);
    if (result !== undefined && added === undefined) {
      throw new DeniedError(`Hookline cannot replace a result in Cline. ${result.text}`);
    }
    return defined({ contextModification: joined(added, context) });
  },
  context: (_event, contextModification): AnswerObject => ({ contextModification }),
};

/** Of a tool that is not Cline's own. */
function otherInput(
  event: GuardedEventOf<'tool_call'>,
  inputs: Parameters<typeof changedInput>[1],
): Record<string, unknown> | undefined {
  return clineCalls(event.original.name, event.original.input, event.cwd) === undefined
    ? changedInput(event, inputs, NAMINGS)
    : undefined;
}

function isWaitedFor(eventName: string): boolean {
  return EVENTS.some(({ name, gates }) => name === eventName && gates);
}

/** Cline's command line. A refusal ends its run, and it cannot ask its user with the text of a hook or replace a result. */
export const CLINE: AgentContract = {
  id: 'cline',
  name: AGENT_NAMES.cline,
  testedVersion: '3.0.65',
  package: 'cline',
  asks: false,
  events: EVENTS,
  read(call) {
    const payload = parsePayload(call, READER.agentName);
    return readEvent(withClaudesNames(payload), call, isOfSubagent(payload) ? SUBAGENT_READER : READER);
  },
  write: (event, answer) =>
    isWaitedFor(event.name)
      ? writeAnswer(event, answer, WRITER)
      : { output: '', unsupported: new AnswerParts(answer).unsupported },
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
