import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { AGENT_NAMES } from '../protocol/agent-call';
import type { AgentContract, GuardedEvent, GuardedEventOf } from './agent';
import {
  addedText,
  DeniedError,
  joined,
  refusalText,
  writeAnswer,
  type AnswerParts,
  type AnswerWriter,
  type AnswerObject,
} from './answers';
import { changedInput } from './changed-input';
import { madeCallId, parsePayload, readEvent, type Payload, type PayloadReader, type ReadResult } from './payload';
import { translateCall } from './tool-calls';

const NAMINGS = ['github', 'claude'] as const;

/** Copilot's names of events: those of Claude Code, with whose names it sends other members, and its own. */
const EVENTS = [
  { name: 'SessionStart', own: 'sessionStart', type: 'session_start', gates: false },
  { name: 'UserPromptSubmit', own: 'userPromptSubmitted', type: 'prompt', gates: true },
  { name: 'PreToolUse', own: 'preToolUse', type: 'tool_call', gates: true },
  { name: 'PostToolUse', own: 'postToolUse', type: 'tool_result', gates: true },
  { name: 'PostToolUseFailure', own: 'postToolUseFailure', type: 'tool_result', gates: false },
  { name: 'Stop', own: 'agentStop', type: 'stop', gates: false },
  { name: 'SubagentStart', own: 'subagentStart', type: 'subagent_start', gates: false },
  { name: 'SubagentStop', own: 'subagentStop', type: 'subagent_stop', gates: false },
  { name: 'PreCompact', own: 'preCompact', type: 'before_compact', gates: false },
  { name: 'SessionEnd', own: 'sessionEnd', type: 'session_end', gates: false },
] as const;

/** The members of Copilot's own events that have another name, beside being written as one word. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['tool_args', 'tool_input'],
  ['response', 'last_assistant_message'],
]);

const READER: PayloadReader = {
  agentName: AGENT_NAMES.copilot,
  types: new Map(EVENTS.flatMap(({ name, own, type }) => [[name, type] as const, [own, type] as const])),
  base: (_payload, { variables }) => ({
    agent: 'copilot',
    ...defined({
      projectDir: variables['COPILOT_PROJECT_DIR'] ?? variables['CLAUDE_PROJECT_DIR'],
      version: variables['COPILOT_CLI_BINARY_VERSION'],
    }),
  }),
  callsOf: (call, _payload, cwd) => translateCall(call, { namings: NAMINGS, cwd }),
  resultOf,
};

/** Whether a payload with names of Claude Code is Copilot's: it has the time of the event, and no transcript. */
export function isCopilotPayload(payload: Payload): boolean {
  return (typeof payload['timestamp'] === 'string' && payload['transcript_path'] === undefined) || isOwn(payload);
}

function isOwn(payload: Payload): boolean {
  return payload['sessionId'] !== undefined && payload['session_id'] === undefined;
}

/** The payload with the names that Claude Code gives the same members. */
function withClaudesNames(payload: Payload): Payload {
  if (!isOwn(payload)) return payload;
  const named = Object.fromEntries(Object.entries(payload).map(([name, value]) => [claudesName(name), value]));
  const input: unknown = named['tool_input'];
  return typeof input === 'string' ? { ...named, tool_input: parsed(input) } : named;
}

function claudesName(name: string): string {
  const words = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  return OTHER_NAMES.get(words) ?? words;
}

/** Older versions give the arguments as JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // The check of the payload names the member.
  }
}

function resultOf(payload: Payload): ReadResult {
  const result = payload['tool_result'];
  if (!isRecord(result)) {
    const error = payload['error'];
    return { text: typeof error === 'string' ? error : '', isError: true, response: error };
  }
  const text = result['text_result_for_llm'] ?? result['textResultForLlm'];
  const type = result['result_type'] ?? result['resultType'];
  return { text: typeof text === 'string' ? text : '', isError: type !== 'success', response: result };
}

const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    const type = READER.types.get(eventName);
    if (type === 'tool_call') {
      return decision(eventName, { permissionDecision: 'deny', permissionDecisionReason: reason });
    }
    if (type === 'prompt' || (type === 'tool_result' && !isFailure(eventName))) return { decision: 'block', reason };
    return undefined;
  },
  call: writeCall,
  result: writeResult,
  context: (_event, additionalContext) => ({ additionalContext }),
};

function writeCall(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): AnswerObject {
  const input = changedInput(event, parts.take('input'), NAMINGS);
  const ask = parts.take('ask');
  if (input !== undefined) {
    const calls = translateCall({ name: event.original.name, input }, { namings: NAMINGS, cwd: event.cwd });
    parts.resultId = madeCallId(event, calls);
  }
  const asking = ask === undefined ? {} : { permissionDecision: 'ask', permissionDecisionReason: ask };
  const changing = input === undefined ? {} : isOwnName(event) ? { modifiedArgs: input } : { updatedInput: input };
  return decision(event.name, { ...asking, ...changing, ...defined({ additionalContext: parts.take('context') }) });
}

function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  const context = parts.take('context');
  const result = parts.take('result');
  const added = result === undefined ? undefined : addedText(event, result);
  if (result === undefined || added !== undefined) return defined({ additionalContext: joined(added, context) });
  if (isFailure(event.name)) throw new DeniedError('a replaced result of a failed call');
  const modifiedResult = { resultType: result.isError ? 'failure' : 'success', textResultForLlm: result.text };
  return { modifiedResult, ...defined({ additionalContext: context }) };
}

/** Members about a call: for an event with a name of Claude Code, Copilot takes them where Claude Code has them. */
function decision(eventName: string, members: AnswerObject): AnswerObject {
  if (Object.keys(members).length === 0 || isOwnName({ name: eventName })) return members;
  return { hookSpecificOutput: { hookEventName: eventName, ...members } };
}

function isOwnName({ name }: Pick<GuardedEvent, 'name'>): boolean {
  return /^[a-z]/.test(name);
}

/** Copilot gives the model the error of a failed call whatever a hook answers. */
function isFailure(eventName: string): boolean {
  return eventName === 'PostToolUseFailure' || eventName === 'postToolUseFailure';
}

/**
 * Copilot: the command line, the sessions of VS Code that run it, and the SDK with hooks from files. Its calls have no id: a
 * call and its result get one that is made of the session and the call.
 */
export const COPILOT: AgentContract = {
  id: 'copilot',
  name: AGENT_NAMES.copilot,
  testedVersion: '1.0.102',
  package: '@github/copilot',
  asks: true,
  events: EVENTS,
  read: call => readEvent(withClaudesNames(parsePayload(call, READER.agentName)), call, READER),
  write: (event, answer) => writeAnswer(event, answer, WRITER),
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
