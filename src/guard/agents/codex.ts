import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
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
import { parsePatch } from './patch';
import { changedPatchInput, patchCalls, patchIn, patchInputCalls } from './patch-calls';
import {
  COMMON_EVENTS,
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

const NAMINGS = ['codex'] as const;

const PATCH = 'apply_patch';

const READER: PayloadReader = {
  agentName: AGENT_NAMES.codex,
  types: new Map(COMMON_EVENTS.map(({ name, type }) => [name, type])),
  base: payload => ({ agent: 'codex', ...defined({ model: textIn(payload, 'model') }) }),
  callsOf: ({ name, input }, _payload, cwd) => callsOf(name, input, cwd),
  resultOf,
};

/**
 * The text of a patch among the arguments of `apply_patch`, whose hooks get it as a command. Codex also carries out a patch that
 * it finds in a command of the shell, and then tells hooks of the command only.
 */
const PATCH_IN_COMMAND = /^\*\*\* Begin Patch[^]*^\*\*\* End Patch/m;

function callsOf(name: string, input: Payload, cwd: string): readonly TranslatedCall[] {
  if (name === PATCH) return patchInputCalls(input, cwd) ?? [{ toolName: name, input: { ...input } }];
  const calls = translateCall({ name, input }, { namings: NAMINGS, cwd });
  const found = calls[0]?.toolName === 'bash' ? PATCH_IN_COMMAND.exec(patchIn(input))?.[0] : undefined;
  const files = found === undefined ? undefined : parsePatch(found);
  return files === undefined ? calls : [...calls, ...patchCalls(files, cwd)];
}

/** Codex does not tell hooks whether a call failed. */
function resultOf({ tool_response: response }: Payload): ReadResult {
  const parts = isRecord(response) ? partsText(response['content']) : partsText(response);
  const text = typeof response === 'string' ? response : (parts ?? jsonText(response));
  return { text, isError: isRecord(response) && response['isError'] === true, response };
}

/** Codex drops an answer with a member that it does not know, or that is not for its event, and then runs the tool. */
const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    switch (eventName) {
      case 'PreToolUse':
        return forEvent(eventName, { permissionDecision: 'deny', permissionDecisionReason: reason });
      case 'PostToolUse':
      case 'UserPromptSubmit':
        return { decision: 'block', reason };
      // This also ends the turn: there is no other answer that stops a compaction.
      case 'PreCompact':
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
    throw new DeniedError(`Nobody could be asked, because Codex has no questions of hooks. ${ask}`);
  }
  const inputs = parts.take('input');
  const isPatch = event.original.name === PATCH;
  const updatedInput = isPatch ? changedPatchInput(event, inputs) : changedInput(event, inputs, NAMINGS);
  // Without the permission, Codex ignores the arguments and runs the call as it was.
  const allowing = updatedInput === undefined ? {} : { permissionDecision: 'allow', updatedInput };
  return forEvent(event.name, { ...allowing, ...defined({ additionalContext: parts.take('context') }) });
}

function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  const context = parts.take('context');
  const result = parts.take('result');
  const added = result === undefined ? undefined : addedText(event, result);
  if (result === undefined || added !== undefined) return contextOf(event, joined(added, context));
  // Codex gives the model the reason of a block in place of the result.
  const reason = result.text.trim() === '' ? 'A hook of Hookline replaced this result by an empty one.' : result.text;
  return { decision: 'block', reason, ...contextOf(event, context) };
}

/** Codex. It cannot ask its user with the text of a hook: a question that nobody answered becomes a denial. */
export const CODEX: AgentContract = {
  id: 'codex',
  name: AGENT_NAMES.codex,
  testedVersion: '0.171.0',
  package: '@openai/codex',
  asks: false,
  events: COMMON_EVENTS,
  read: call => readEvent(parsePayload(call, READER.agentName), call, READER),
  write: (event, answer) => writeAnswer(event, answer, WRITER),
  refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
};
