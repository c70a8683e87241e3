import { defined } from '../../base/defined';
import { AGENT_NAMES } from '../protocol/agent-call';
import type { AgentContract, GuardedEventOf, TranslatedCall } from './agent';
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
import { changedPatchInput, patchInputCalls } from './patch-calls';
import { jsonText, madeCallId, parsePayload, readEvent, type Payload, type PayloadReader } from './payload';
import { CannotChangeError, translateCall } from './tool-calls';

const NAMINGS = ['droid'] as const;

const EVENTS = [
  { name: 'SessionStart', type: 'session_start', gates: false },
  { name: 'UserPromptSubmit', type: 'prompt', gates: true },
  { name: 'PreToolUse', type: 'tool_call', gates: true },
  { name: 'PostToolUse', type: 'tool_result', gates: true },
  { name: 'Stop', type: 'stop', gates: false },
  { name: 'SubagentStop', type: 'subagent_stop', gates: false },
  { name: 'PreCompact', type: 'before_compact', gates: false },
  { name: 'SessionEnd', type: 'session_end', gates: false },
] as const;

const PATCH = 'ApplyPatch';

/** What the model thinks of the risk of a command. */
const RISK = ['riskLevel', 'riskLevelReason'];

const READER: PayloadReader = {
  agentName: AGENT_NAMES.droid,
  types: new Map(EVENTS.map(({ name, type }) => [name, type])),
  base: (_payload, { variables }) => ({
    agent: 'droid',
    ...defined({ projectDir: variables['CLAUDE_PROJECT_DIR'] }),
  }),
  callsOf: ({ name, input }, _payload, cwd) => callsOf(name, input, cwd),
  // Of a call that failed, droid tells hooks no result.
  resultOf: ({ tool_response: response }) => ({
    text: typeof response === 'string' ? response : jsonText(response),
    isError: false,
    response,
  }),
};

function callsOf(name: string, input: Payload, cwd: string): readonly TranslatedCall[] {
  if (name === PATCH) return patchInputCalls(input, cwd) ?? [{ toolName: 'apply_patch', input: { ...input } }];
  return translateCall({ name, input }, { namings: NAMINGS, cwd });
}

const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    switch (eventName) {
      case 'PreToolUse':
        return forEvent(eventName, { permissionDecision: 'deny', permissionDecisionReason: reason });
      // Of a result, the run ends before the model gets it.
      case 'PostToolUse':
      case 'UserPromptSubmit':
        return { continue: false, stopReason: reason };
      default:
        return undefined;
    }
  },
  call: writeCall,
  result: writeResult,
  context: contextOf,
};

function writeCall(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): AnswerObject {
  const ask = parts.take('ask');
  if (ask !== undefined) {
    throw new DeniedError(`Nobody could be asked, because Factory Droid has no questions of hooks. ${ask}`);
  }
  const { original, cwd } = event;
  const inputs = parts.take('input');
  const input = original.name === PATCH ? changedPatchInput(event, inputs) : changedInput(event, inputs, NAMINGS);
  if (input === undefined) return {};
  const removed = Object.keys(original.input).find(name => input[name] === undefined);
  if (removed !== undefined) {
    throw new CannotChangeError(`A hook took "${removed}" from ${original.name}, and Factory Droid would keep it.`);
  }
  parts.resultId = madeCallId(event, callsOf(original.name, withoutRisk(input, original), cwd));
  return forEvent(event.name, { updatedInput: input });
}

/** A command that a hook changed comes back with its result without them. */
function withoutRisk(input: Payload, { name, input: before }: GuardedEventOf<'tool_call'>['original']): Payload {
  if (name !== 'Execute' || input['command'] === before['command']) return input;
  return Object.fromEntries(Object.entries(input).filter(([member]) => !RISK.includes(member)));
}

function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  const context = parts.take('context');
  const result = parts.take('result');
  const added = result === undefined ? undefined : addedText(event, result);
  if (result === undefined || added !== undefined) return contextOf(event, joined(added, context));
  throw new DeniedError(`Hookline cannot replace a result in Factory Droid. ${result.text}`);
}

/**
 * Factory Droid, which speaks Claude Code's dialect with tools of its own. Its calls have no id, as those of Copilot. It cannot
 * ask its user with the text of a hook, and cannot replace a result: the run then ends before the model gets it.
 */
export const DROID: AgentContract = {
  id: 'droid',
  name: AGENT_NAMES.droid,
  testedVersion: '0.215.0',
  package: 'droid',
  asks: false,
  events: EVENTS,
  read: call => readEvent(parsePayload(call, READER.agentName), call, READER),
  write: (event, answer) => writeAnswer(event, answer, WRITER),
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
