import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { mcpNames } from '../../mcp/tools/tool-names';
import { AGENT_NAMES } from '../protocol/agent-call';
import type { AgentContract, GuardedEventOf } from './agent';
import {
  addedText,
  type AnswerObject,
  type AnswerParts,
  type AnswerWriter,
  contextOf,
  DeniedError,
  joined,
  refusalText,
  writeAnswer,
} from './answers';
import { changedInput } from './changed-input';
import { llmResult } from './llm-result';
import { madeCallId, parsePayload, readEvent, type Payload, type PayloadReader } from './payload';
import { translateCall } from './tool-calls';

const NAMINGS = ['gemini'] as const;

const EVENTS = [
  { name: 'SessionStart', type: 'session_start', gates: false },
  { name: 'BeforeAgent', type: 'prompt', gates: true },
  { name: 'BeforeTool', type: 'tool_call', gates: true },
  { name: 'AfterTool', type: 'tool_result', gates: true },
  { name: 'AfterAgent', type: 'stop', gates: false },
  { name: 'PreCompress', type: 'before_compact', gates: false },
  { name: 'SessionEnd', type: 'session_end', gates: false },
] as const;

const READER: PayloadReader = {
  agentName: AGENT_NAMES.gemini,
  types: new Map(EVENTS.map(({ name, type }) => [name, type])),
  base: (_payload, { variables }) => ({
    agent: 'gemini',
    ...defined({ projectDir: variables['GEMINI_PROJECT_DIR'] }),
  }),
  callsOf(call, payload, cwd) {
    const name = mcpName(payload['mcp_context']);
    if (name !== undefined) return [{ toolName: name, input: { ...call.input } }];
    return translateCall(call, { namings: NAMINGS, cwd });
  },
  resultOf: ({ tool_response: response }) => llmResult(response),
};

/** The name of a tool of an MCP server: Gemini CLI's own does not tell where the name of the server ends. */
function mcpName(context: unknown): string | undefined {
  if (!isRecord(context)) return undefined;
  const { server_name: server, tool_name: name } = context;
  return typeof server === 'string' && typeof name === 'string' ? mcpNames([{ server, name }])[0] : undefined;
}

const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    return EVENTS.some(({ name, gates }) => name === eventName && gates) ? { decision: 'deny', reason } : undefined;
  },
  call: writeCall,
  result: writeResult,
  context: contextOf,
};

/** There is no way to add text before a call. */
function writeCall(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): AnswerObject {
  const ask = parts.take('ask');
  if (ask !== undefined) {
    throw new DeniedError(`Nobody could be asked, because Gemini CLI waits for ever where nobody sits at it. ${ask}`);
  }
  const input = changedInput(event, parts.take('input'), NAMINGS);
  if (input === undefined) return {};
  const calls = translateCall({ name: event.original.name, input }, { namings: NAMINGS, cwd: event.cwd });
  parts.resultId = madeCallId(event, calls);
  return { hookSpecificOutput: { hookEventName: event.name, tool_input: input } };
}

/** The reason of a denial takes the place of the result. */
function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  const context = parts.take('context');
  const result = parts.take('result');
  const added = result === undefined ? undefined : addedText(event, result);
  if (result === undefined || added !== undefined) return contextOf(event, joined(added, context));
  const reason = result.text.trim() === '' ? 'A hook of Hookline removed this result.' : result.text;
  return { decision: 'deny', reason, ...contextOf(event, context) };
}

/** The payload with the names that Claude Code gives the same members. */
function withClaudesNames(payload: Payload): Payload {
  const { prompt_response: last } = payload;
  return last === undefined ? payload : { ...payload, last_assistant_message: last };
}

/**
 * Gemini CLI. Its calls have no id: a call and its result get one that is made of the session and the call. It could ask its user
 * with the text of a hook, but without a user it then waits for ever, and nothing tells a hook whether there is one.
 */
export const GEMINI: AgentContract = {
  id: 'gemini',
  name: AGENT_NAMES.gemini,
  testedVersion: '0.61.0',
  package: '@google/gemini-cli',
  asks: false,
  events: EVENTS,
  read: call => readEvent(withClaudesNames(parsePayload(call, READER.agentName)), call, READER),
  write: (event, answer) => writeAnswer(event, answer, WRITER),
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
