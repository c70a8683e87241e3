import type { ImageContent } from '../../../agent/messages';
import { promptOptions, wholePrompt } from '../../../agent/prompt/system-prompt';
import { answerOf, isContent, noAnswer, AnswerReader } from '../answers/answer';
import { reduceContext, reduceTranscript } from '../answers/context-answers';
import { NO_DECISION, type AnswerReducer, type EventRows, type AnswerVerdict } from '../event-row';
import type { BashOperations, BashOutcome, HookEventOf, HookResults } from '../../hook-event';
import { beforeRun, startPayload } from '../run-start';
import { sampleMessages } from '../sample-parts';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';

type PromptEvent = 'context' | 'context_with_system' | 'before_agent_start' | 'input' | 'user_bash';

/** Events between the user's input and the request to the provider. */
export const PROMPT_EVENTS: EventRows<PromptEvent> = {
  input: {
    names: [{ name: 'input', of: ['ext', 'pi'] }],
    endsWithRun: true,
    answers: transformedInput,
    isAlwaysListed: true,
    members: { text: true, images: true, source: true, streamingBehavior: true },
    samples: () => [{ type: 'input', text: 'Say hello.', source: 'interactive' }],
  },
  before_agent_start: {
    names: [
      {
        name: 'before_agent_start',
        of: ['tree', 'omp', 'ext', 'pi'],
        reaches: (event, { dialect }) => event.message === undefined || dialect.decidesTurns,
        payload: (event, { hook }) => startPayload(event, hook),
      },
    ],
    endsWithRun: true,
    answers: beforeRun,
    isAlwaysListed: true,
    members: { prompt: true, images: true, message: true, systemPrompt: true, options: true },
    samples: ({ cwd }) => {
      const none = { active: [], all: [] };
      const options = promptOptions({ cwd, tools: none, contextFiles: [], skills: [] });
      return [{ type: 'before_agent_start', prompt: 'Say hello.', systemPrompt: wholePrompt(options), options }];
    },
  },
  context: {
    names: [{ name: 'context', of: ['v2', 'tree', 'omp', 'ext', 'pi'] }],
    endsWithRun: true,
    answers: reduceContext,
    isAlwaysListed: true,
    members: { messages: true, entryIds: true },
    samples: facts => {
      const messages = sampleMessages(facts);
      return [{ type: 'context', messages, entryIds: messages.map(() => null) }];
    },
  },
  context_with_system: {
    names: [{ name: 'context_with_system', of: ['pi'] }],
    endsWithRun: true,
    answers: reduceTranscript,
    members: { messages: true },
    samples: facts => [{ type: 'context_with_system', messages: sampleMessages(facts) }],
  },
  user_bash: {
    names: [{ name: 'user_bash', of: ['ext', 'pi'] }],
    timeout: 'none',
    onError: 'block',
    answers: takenOverCommand,
    members: { command: true, excludeFromContext: true, cwd: true },
    samples: ({ cwd }) => [{ type: 'user_bash', command: 'git status', excludeFromContext: false, cwd }],
  },
};

/**
 * Each handler gets the input as the handler before transformed it; `handled` ends the dispatch. oh-my-pi's
 * `{ handled, text, images }` means the same (docs/dialects.md, C31).
 */
function transformedInput(original: HookEventOf<'input'>): AnswerReducer<'input'> {
  let event = original;
  let handledBy: string | undefined;
  return {
    get event() {
      return event;
    },
    add(returned, hook): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      const action = reading.get('action');
      if (action === 'handled' || (action === undefined && reading.get('handled') === true)) {
        handledBy = hook.path;
        return reading.verdict({ type: 'handled' }, true);
      }
      if (action === 'continue') return NO_DECISION;
      if (action !== undefined && action !== 'transform') {
        reading.problems.push('"action" must be "continue", "transform" or "handled"');
      } else event = { ...event, ...readTransform(reading) };
      return reading.verdict();
    },
    result(): HookResults['input'] {
      if (handledBy !== undefined) return { action: 'handled', by: handledBy };
      return { action: 'continue', text: event.text, ...defined({ images: event.images }) };
    },
  };
}

function readTransform(reading: AnswerReader): { text?: string; images?: readonly ImageContent[] } {
  const text = reading.text('text');
  const images = reading.typed('images', 'an array of images', (value): value is ImageContent[] => isContent(value));
  if (text !== undefined) reading.changed.push('text');
  if (images !== undefined) reading.changed.push('images');
  return defined({ text, images });
}

/** pi's error for a `user_bash` handler that returns something other than undefined or one of the two forms. */
const INVALID_BASH_ANSWER =
  'Invalid user_bash handler result: return undefined for local execution or exactly one valid { operations } or { result } object';

/** The first hook that returns operations or a result takes over the command. A hook that fails refuses the command. */
function takenOverCommand(event: HookEventOf<'user_bash'>): AnswerReducer<'user_bash'> {
  let result: HookResults['user_bash'];
  return {
    event,
    add(returned): AnswerVerdict {
      if (returned === undefined) return NO_DECISION;
      const reading = new AnswerReader(answerOf(returned) ?? {});
      const outcome = reading.typed('result', '{ output, exitCode, cancelled, truncated }', isOutcome);
      const operations = readOperations(reading);
      if (reading.problems.length > 0 || (outcome === undefined) === (operations === undefined)) {
        throw new Error(INVALID_BASH_ANSWER);
      }
      result = outcome === undefined ? { operations } : { result: outcome };
      return reading.verdict({ type: 'handled' }, true);
    },
    refuse(reason, hook): AnswerVerdict {
      result = { refused: reason, by: hook.path };
      return { outcome: { type: 'blocked', reason }, stop: true };
    },
    result: () => result,
  };
}

function isOutcome(value: unknown): value is BashOutcome {
  return isRecord(value) && typeof value['output'] === 'string';
}

/**
 * Reads `operations`. The description calls their function `execute`, pi's code calls it `exec` (docs/dialects.md, D23).
 */
function readOperations(reading: AnswerReader): BashOperations | undefined {
  const operations = reading.object('operations');
  if (operations === undefined) return undefined;
  const exec = operations['exec'] ?? operations['execute'];
  if (typeof exec === 'function') {
    return {
      exec: async (...given) => exitOf(await Promise.resolve(Reflect.apply(exec, operations, given)), given[2].onData),
    };
  }
  reading.problems.push('"operations.exec" must be a function');
  return undefined;
}

/** The description does not define the result of `execute`: it may have no exit code, or be the output. */
function exitOf(returned: unknown, onData: (data: Buffer) => void): { exitCode: number | null } {
  if (typeof returned === 'string') onData(Buffer.from(returned));
  const answer = answerOf(returned) ?? {};
  const printed = answer['stdout'] ?? answer['output'];
  if (typeof printed === 'string') onData(Buffer.from(printed));
  const exitCode = answer['exitCode'] ?? answer['code'];
  return { exitCode: typeof exitCode === 'number' ? exitCode : 0 };
}
