import type { Usage } from '@mariozechner/pi-ai';
import type { ContentPart } from '../../../agent/messages';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import type { Dialect } from '../../dialect';
import { copiedInput, inputFor } from '../edit-input';
import { copyData } from '../../copy';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, isContent, isUsage, noAnswer, AnswerReader, type AnswerMembers } from '../answers/answer';
import type { AnswerReducer, EventRows, AnswerVerdict } from '../event-row';
import type { HookEventOf, HookResults } from '../../hook-event';
import { lazy, visibleCall } from '../payload-parts';
import { SAMPLE_CALL, sampleText } from '../sample-parts';

const BASH = { ...SAMPLE_CALL, toolName: 'bash' } as const;
const COMMAND = { command: 'rm -rf build' } as const;

/** The events before and after a tool runs. */
export const TOOL_EVENTS: EventRows<'tool_call' | 'tool_result'> = {
  tool_call: {
    names: [
      {
        name: 'tool_call',
        of: ['v1', 'v2', 'tree', 'omp', 'ext', 'pi'],
        payload: (event, { hook }) => {
          const { dialect } = hook;
          const forFile = dialect.sharesToolInput ? inputFor : copiedInput;
          return { ...visibleCall(event, hook), input: forFile(dialect, event.toolName, event.input) };
        },
      },
    ],
    timeout: 'none',
    onError: 'block',
    answers: firstBlock,
    isAlwaysListed: true,
    members: { toolCallId: true, toolName: true, parentToolCallId: true, input: true },
    samples: () => [
      { type: 'tool_call', ...BASH, input: { ...COMMAND } },
      { type: 'tool_call', ...SAMPLE_CALL, toolName: 'write', input: { path: '.env', content: 'KEY=1\n' } },
      {
        type: 'tool_call',
        ...SAMPLE_CALL,
        toolName: 'edit',
        input: { path: 'src/index.ts', edits: [{ oldText: 'let', newText: 'const' }] },
      },
      { type: 'tool_call', ...SAMPLE_CALL, toolName: 'read', input: { path: 'README.md' } },
    ],
  },
  tool_result: {
    names: [
      {
        name: 'tool_result',
        of: ['v1', 'v2', 'tree', 'omp', 'ext', 'pi'],
        payload: (event, { hook }) =>
          lazy(visibleCall(event, hook), {
            input: () => copiedInput(hook.dialect, event.toolName, event.input),
            content: () => copyData(event.content),
            details: () => (isEmptyFailure(event, hook.dialect) ? undefined : copyData(event.details)),
            result: () => event.content.map(part => (part.type === 'text' ? part.text : '')).join('\n'),
          }),
      },
    ],
    answers: changedResult,
    isAlwaysListed: true,
    members: {
      toolCallId: true,
      toolName: true,
      parentToolCallId: true,
      input: true,
      content: true,
      details: true,
      isError: true,
      structuredContent: true,
      usage: true,
    },
    samples: () => [
      {
        type: 'tool_result',
        ...BASH,
        input: { ...COMMAND },
        content: sampleText('build removed\n'),
        details: undefined,
        isError: false,
      },
      {
        type: 'tool_result',
        ...BASH,
        input: { ...COMMAND },
        content: sampleText('rm: cannot remove'),
        details: undefined,
        isError: true,
      },
    ],
  },
};

/** Whether these are the empty details of a tool that threw, which this dialect does not have. */
function isEmptyFailure({ isError, details }: HookEventOf<'tool_result'>, { failureDetails }: Dialect): boolean {
  return failureDetails === 'none' && isError && isRecord(details) && Object.keys(details).length === 0;
}

/** The first handler that blocks ends the dispatch. Any other answer lets the tool run. */
function firstBlock(event: HookEventOf<'tool_call'>): AnswerReducer<'tool_call'> {
  let result: HookResults['tool_call'] = { block: false };
  const refuse = (given: string, hook: LoadedHook, terminate = false): AnswerVerdict => {
    const reason = given === '' ? hook.dialect.blockedText : given;
    result = { block: true, reason, by: hook.path, ...(terminate ? { terminate } : {}) };
    return { outcome: { type: 'blocked', reason }, stop: true };
  };
  return {
    event,
    add(returned, hook): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      if (!reading.flag('block')) return reading.verdict();
      const { outcome, stop } = refuse(reading.text('reason') ?? '', hook, reading.flag('terminate'));
      return reading.verdict(outcome, stop);
    },
    refuse: (reason, hook) => refuse(reason, hook),
    result: () => result,
  };
}

/**
 * Members of an answer replace those of the result, and the next handler gets the changed result. All hooks get failed
 * results, but only some dialects may change them (docs/dialects.md, C17 and C18).
 */
function changedResult(original: HookEventOf<'tool_result'>): AnswerReducer<'tool_result'> {
  let event = original;
  let isUnreviewed = false;
  return {
    get event() {
      return event;
    },
    add(returned, hook): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      if (event.isError && !hook.dialect.changesFailures) return observedOnly(answer);
      const reading = new AnswerReader(answer);
      const patch = readResult(reading, hook);
      reading.changed.push(...Object.keys(patch));
      // If only the content is replaced, the structured data may no longer match it.
      const data = patch.content === undefined ? {} : { structuredContent: undefined };
      event = { ...event, ...data, ...patch };
      return reading.verdict();
    },
    abandon: () => {
      isUnreviewed = true;
    },
    result: () => {
      const { content, details, isError, structuredContent, usage } = event;
      return {
        content,
        details,
        isError,
        ...defined({ structuredContent, usage }),
        ...(isUnreviewed ? { isUnreviewed } : {}),
      };
    },
  };
}

function observedOnly(answer: AnswerMembers): AnswerVerdict {
  const hasMembers = Object.keys(answer).length > 0;
  return {
    outcome: hasMembers
      ? { type: 'ignored', why: 'failed results cannot be changed in this dialect' }
      : { type: 'nothing' },
  };
}

interface ResultPatch {
  content?: ContentPart[];
  details?: unknown;
  isError?: boolean;
  structuredContent?: unknown;
  usage?: Usage;
}

function readResult(reading: AnswerReader, hook: LoadedHook): ResultPatch {
  const content = reading.typed('content', 'an array of text and image parts', (value): value is ContentPart[] =>
    isContent(value),
  );
  const patch: ResultPatch = {};
  if (content !== undefined) patch.content = content;
  else if (hook.dialect.answersResultText) {
    const text = reading.text('result');
    if (text !== undefined) patch.content = [{ type: 'text', text }];
  }
  if (reading.has('details')) patch.details = reading.get('details');
  const isError = hook.dialect.changesFailures ? reading.boolean('isError') : undefined;
  if (isError !== undefined) patch.isError = isError;
  if (reading.has('structuredContent')) patch.structuredContent = reading.get('structuredContent');
  const usage = reading.typed('usage', 'the usage of a model', isUsage);
  if (usage !== undefined) patch.usage = usage;
  return patch;
}
