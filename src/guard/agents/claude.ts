import { defined } from '../../base/defined';
import { AGENT_NAMES } from '../protocol/agent-call';
import type { AgentContract, GuardedEventOf } from './agent';
import {
  addedText,
  type AnswerObject,
  type AnswerParts,
  type AnswerWriter,
  contextOf,
  DeniedError,
  forEvent,
  joined,
  refusalText,
  writeAnswer,
} from './answers';
import { changedInput } from './changed-input';
import { claudeResult } from './claude-results';
import { COPILOT, isCopilotPayload } from './copilot';
import { CURSOR_AGENT, isCursorPayload } from './cursor';
import {
  COMMON_EVENTS,
  parsePayload,
  readEvent,
  textIn,
  type Payload,
  type PayloadReader,
  type ReadResult,
} from './payload';
import { translateCall } from './tool-calls';

const NAMINGS = ['claude'] as const;

const EVENTS = [...COMMON_EVENTS, { name: 'PostToolUseFailure', type: 'tool_result', gates: false }] as const;

const READER: PayloadReader = {
  agentName: AGENT_NAMES.claude,
  types: new Map(EVENTS.map(({ name, type }) => [name, type])),
  base: (payload, { variables }) => ({
    agent: 'claude',
    ...defined({ projectDir: variables['CLAUDE_PROJECT_DIR'], model: textIn(payload, 'model') }),
    ...defined({ isAttended: attended(variables['CLAUDE_CODE_SESSION_ATTENDED']) }),
  }),
  callsOf: (call, _payload, cwd) => translateCall(call, { namings: NAMINGS, cwd }),
  resultOf,
};

function attended(value: string | undefined): boolean | undefined {
  return value === '1' ? true : value === '0' ? false : undefined;
}

function resultOf(payload: Payload): ReadResult {
  const { error, tool_response: response } = payload;
  if (response === undefined) return { text: typeof error === 'string' ? error : '', isError: true, response: error };
  return { text: claudeResult(String(payload['tool_name']), response).text, isError: false, response };
}

const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    switch (eventName) {
      case 'PreToolUse':
        return forEvent(eventName, { permissionDecision: 'deny', permissionDecisionReason: reason });
      // A block would leave the result as it is and add its reason, so the run ends before the model gets the result.
      case 'PostToolUse':
        return { continue: false, stopReason: reason };
      case 'UserPromptSubmit':
      case 'PreCompact':
        return { decision: 'block', reason };
      default:
        return undefined;
    }
  },
  call: writeCall,
  result: writeResult,
  context: contextOf,
};

function writeCall(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): AnswerObject {
  const updatedInput = changedInput(event, parts.take('input'), NAMINGS);
  const ask = parts.take('ask');
  const asking = ask === undefined ? {} : { permissionDecision: 'ask', permissionDecisionReason: ask };
  return forEvent(event.name, { ...asking, ...defined({ updatedInput, additionalContext: parts.take('context') }) });
}

function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  const context = parts.take('context');
  const result = parts.take('result');
  if (result === undefined) return contextOf(event, context);
  const added = addedText(event, result);
  if (added !== undefined) return contextOf(event, joined(added, context));
  if (event.isError) throw new DeniedError('a replaced result of a failed call');
  const { replaced, isFixed } = claudeResult(event.original.name, event.response);
  if (isFixed === true && result.isWithheld !== true) {
    return contextOf(event, joined(`A hook replaced the result of this call by: ${result.text}`, context));
  }
  if (replaced === undefined) {
    throw new DeniedError(`Hookline cannot replace a result of ${event.original.name} in Claude Code. ${result.text}`);
  }
  return forEvent(event.name, { updatedToolOutput: replaced(result.text), ...defined({ additionalContext: context }) });
}

/**
 * Claude Code. Copilot also runs the hooks of Claude Code that it finds in a repository, and Cursor those of the user, too; an
 * event of theirs names the real agent, and its answer has that agent's form.
 */
export const CLAUDE: AgentContract = {
  id: 'claude',
  name: AGENT_NAMES.claude,
  testedVersion: '2.1.332',
  package: '@anthropic-ai/claude-code',
  asks: true,
  events: EVENTS,
  read(call) {
    const payload = parsePayload(call, READER.agentName);
    if (isCursorPayload(payload)) return CURSOR_AGENT.read(call);
    return isCopilotPayload(payload) ? COPILOT.read(call) : readEvent(payload, call, READER);
  },
  write(event, answer) {
    if (event.agent === 'copilot') return COPILOT.write(event, answer);
    return event.agent === 'cursor' ? CURSOR_AGENT.write(event, answer) : writeAnswer(event, answer, WRITER);
  },
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
