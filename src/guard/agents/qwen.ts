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
import { changedCall } from './changed-input';
import { llmResult } from './llm-result';
import { COMMON_EVENTS, parsePayload, readEvent, textIn, type PayloadReader } from './payload';
import { translateCall } from './tool-calls';

const EVENTS = [...COMMON_EVENTS, { name: 'PostToolUseFailure', type: 'tool_result', gates: false }] as const;

const READER: PayloadReader = {
  agentName: AGENT_NAMES.qwen,
  types: new Map(EVENTS.map(({ name, type }) => [name, type])),
  base: (payload, { variables }) => ({
    agent: 'qwen',
    ...defined({
      projectDir: variables['QWEN_PROJECT_DIR'],
      version: variables['QWEN_CODE_STARTUP_VERSION'],
      model: textIn(payload, 'model'),
    }),
  }),
  callsOf: (call, _payload, cwd) => translateCall(call, { namings: ['qwen'], cwd }),
  resultOf: ({ tool_response: response, error }) =>
    response === undefined
      ? { text: typeof error === 'string' ? error : '', isError: true, response: error }
      : llmResult(response),
};

/** The event of a prompt is also sent, with an empty one, whenever the model gets results. */
const READER_OF_RESULTS: PayloadReader = {
  ...READER,
  types: new Map([...READER.types, ['UserPromptSubmit', 'other']]),
};

const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    switch (eventName) {
      case 'PreToolUse':
        return forEvent(eventName, { permissionDecision: 'deny', permissionDecisionReason: reason });
      case 'PostToolUse':
        return inPlaceOfResult(reason);
      case 'UserPromptSubmit':
        return { decision: 'block', reason };
      default:
        return undefined;
    }
  },
  call: writeCall,
  result: writeResult,
  context: contextOf,
};

/** Text before a call does not reach the model. */
function writeCall(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): AnswerObject {
  if (changedCall(event, parts.take('input')) !== undefined) {
    throw new DeniedError('A hook changed this call, and Qwen Code would run it as it was.');
  }
  const ask = parts.take('ask');
  if (ask === undefined) return {};
  return forEvent(event.name, { permissionDecision: 'ask', permissionDecisionReason: ask });
}

function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  const context = parts.take('context');
  const result = parts.take('result');
  const added = result === undefined ? undefined : addedText(event, result);
  if (result === undefined || added !== undefined) return contextOf(event, joined(added, context));
  if (event.name !== 'PostToolUse') throw new DeniedError('a replaced result of a failed call');
  const text = result.text.trim() === '' ? 'A hook of Hookline removed this result.' : result.text;
  return { ...inPlaceOfResult(text), ...contextOf(event, context) };
}

/** A block would leave the result as it is. This does not: the model gets the text for it, and the run goes on. */
function inPlaceOfResult(stopReason: string): AnswerObject {
  return { continue: false, stopReason };
}

/** Qwen Code, which has the events of Claude Code and takes fewer answers to them. */
export const QWEN: AgentContract = {
  id: 'qwen',
  name: AGENT_NAMES.qwen,
  testedVersion: '0.24.4',
  package: '@qwen-code/qwen-code',
  asks: true,
  events: EVENTS,
  read(call) {
    const payload = parsePayload(call, READER.agentName);
    return readEvent(payload, call, payload['prompt'] === '' ? READER_OF_RESULTS : READER);
  },
  write: (event, answer) => writeAnswer(event, answer, WRITER),
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
