import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { defined } from '../../../base/defined';
import { isCode, messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import { clipped, clippedInside } from '../../../base/text/clipped';
import { MOST_FAILURE_CHARS, type TestFailure, type TestPlace } from '../test-event';

type Difference = NonNullable<TestFailure['difference']>;

/** How much of what both sides have in common is kept before the first difference, characters. */
const CHARS_BEFORE = 2000;

/**
 * What a test, or the file itself, failed with. `file` is the absolute path of the file of tests. Long texts are cut. Never
 * throws: anything can be thrown in a test, also what cannot be read.
 */
export function testFailure(error: unknown, file: string): TestFailure {
  const message = textOf(error);
  const stack = readable(() => (error instanceof Error ? textIn(error.stack) : undefined));
  const code = readable(() => (isRecord(error) ? textIn(error['code']) : undefined));
  const difference = readable(() => differenceOf(error));
  const texts = [message, stack, code, difference?.expected, difference?.actual];
  const isCut = texts.some(text => text !== undefined && text.length > MOST_FAILURE_CHARS);
  return {
    message: clippedInside(message, MOST_FAILURE_CHARS),
    ...defined({
      stack: stack === undefined ? undefined : clippedInside(stack, MOST_FAILURE_CHARS),
      code: code === undefined ? undefined : clipped(code, MOST_FAILURE_CHARS),
      place: placeIn(stack ?? '', file),
      difference: difference === undefined ? undefined : around(difference),
      isCut: isCut ? true : undefined,
    }),
  };
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The innermost place in the file that a stack names. */
export function placeIn(stack: string, file: string): TestPlace | undefined {
  const url = pathToFileURL(file).href;
  for (let at = stack.indexOf(url); at >= 0; at = stack.indexOf(url, at + 1)) {
    const [, line, column = '1'] = /^:(\d+)(?::(\d+))?/.exec(stack.slice(at + url.length)) ?? [];
    if (line !== undefined) return { line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** Node's own message of an assertion contains the difference, which is shown apart. */
function textOf(error: unknown): string {
  const message: unknown = messageOf(error); // The message of an error need not be a text.
  const text = typeof message === 'string' ? message : inspect(message);
  const isGenerated = readable(
    () => isCode(error, 'ERR_ASSERTION') && isRecord(error) && error['generatedMessage'] === true,
  );
  return isGenerated === true ? (text.split('\n', 1)[0] ?? text) : text;
}

/** Both sides of a comparison; undefined if nothing was compared, or both read the same. */
function differenceOf(error: unknown): Difference | undefined {
  if (!isRecord(error) || !('expected' in error) || !('actual' in error)) return undefined;
  const { expected, actual } = error;
  if (expected === undefined && actual === undefined) return undefined;
  const texts = { expected: valueText(expected), actual: valueText(actual) };
  return texts.expected === texts.actual ? undefined : texts;
}

/** What is around the first difference, if one of the sides is long. */
function around(difference: Difference): Difference {
  const { expected, actual } = difference;
  if (Math.max(expected.length, actual.length) <= MOST_FAILURE_CHARS) return difference;
  let same = 0;
  while (expected[same] === actual[same]) same += 1;
  const start = Math.max(0, same - CHARS_BEFORE);
  const part = (text: string): string =>
    `${start === 0 ? '' : '…'}${clipped(text.slice(start), MOST_FAILURE_CHARS - 1)}`;
  return { expected: part(expected), actual: part(actual) };
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return inspect(value, {
    ...{ depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity },
    ...{ sorted: true, compact: false, breakLength: 80 },
  });
}
