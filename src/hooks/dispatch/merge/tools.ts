import type { ContentPart } from '../../../agent/messages';
import type { BashOperations, BashOutcome, HookEventOf, HookResults } from '../../events/hook-event';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, isContent, isObject, noAnswer, Reading, type Answer } from './answers';
import type { Merging, Verdict } from './merging';

/** The first block ends the dispatch; whatever else is returned lets the tool through (edges 2 and 3). */
export function mergeToolCall(event: HookEventOf<'tool_call'>): Merging<'tool_call'> {
  let result: HookResults['tool_call'] = { block: false };
  return {
    event,
    take(returned, hook): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
      if (!reading.flag('block')) return reading.verdict();
      const given = reading.text('reason');
      const reason = given === undefined || given === '' ? hook.dialect.blockedText : given;
      result = { block: true, reason, by: hook.path };
      return reading.verdict({ type: 'blocked', reason }, true);
    },
    result: () => result,
  };
}

/**
 * Each answer is laid over the result that the next handler sees (C17). Failed results are shown to all, but only
 * dialects that may change failures do (C18).
 */
export function mergeToolResult(original: HookEventOf<'tool_result'>): Merging<'tool_result'> {
  let event = original;
  return {
    get event() {
      return event;
    },
    take(returned, hook): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      if (event.isError && !hook.dialect.changesFailures) return observedOnly(answer);
      const reading = new Reading(answer);
      const patch = readResult(reading, hook);
      reading.changed.push(...Object.keys(patch));
      event = { ...event, ...patch };
      return reading.verdict();
    },
    result: () => ({ content: event.content, details: event.details, isError: event.isError }),
  };
}

function observedOnly(answer: Answer): Verdict {
  const said = Object.keys(answer).length > 0;
  return {
    outcome: said ? { type: 'ignored', why: 'failed results cannot be changed in this dialect' } : { type: 'nothing' },
  };
}

interface ResultPatch {
  content?: ContentPart[];
  details?: unknown;
  isError?: boolean;
}

function readResult(reading: Reading, hook: LoadedHook): ResultPatch {
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
  return patch;
}

/** The first hook that takes the command over wins (reference section 5.5). */
export function mergeUserBash(event: HookEventOf<'user_bash'>): Merging<'user_bash'> {
  let result: HookResults['user_bash'];
  return {
    event,
    take(returned): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
      const outcome = reading.typed('result', '{ output, exitCode, cancelled, truncated }', isOutcome);
      const operations = readOperations(reading);
      if (outcome === undefined && operations === undefined) return reading.verdict();
      result = {
        ...(operations === undefined ? {} : { operations }),
        ...(outcome === undefined ? {} : { result: outcome }),
      };
      return reading.verdict({ type: 'handled' }, true);
    },
    result: () => result,
  };
}

function isOutcome(value: unknown): value is BashOutcome {
  return isObject(value) && typeof value['output'] === 'string';
}

/** The document says `execute`, the code `exec` (D23). */
function readOperations(reading: Reading): BashOperations | undefined {
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

/** What the document's `execute` returns is open: the exit code may be missing, the output may be the return value. */
function exitOf(returned: unknown, onData: (data: Buffer) => void): { exitCode: number | null } {
  if (typeof returned === 'string') onData(Buffer.from(returned));
  const answer = answerOf(returned) ?? {};
  const printed = answer['stdout'] ?? answer['output'];
  if (typeof printed === 'string') onData(Buffer.from(printed));
  const exitCode = answer['exitCode'] ?? answer['code'];
  return { exitCode: typeof exitCode === 'number' ? exitCode : 0 };
}
