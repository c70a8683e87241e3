import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { defined } from '../../../base/defined';
import { isCode, messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import type { TestFailure, TestPlace } from '../test-event';

/** What a test, or the file itself, failed with. `file` is the absolute path of the file of tests. */
export function testFailure(error: unknown, file: string): TestFailure {
  const stack = error instanceof Error ? error.stack : undefined;
  const code = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
  return {
    message: textOf(error),
    ...defined({ stack, code, place: placeIn(stack ?? '', file), difference: differenceOf(error) }),
  };
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
  const message = messageOf(error);
  const isGenerated = isCode(error, 'ERR_ASSERTION') && isRecord(error) && error['generatedMessage'] === true;
  return isGenerated ? (message.split('\n')[0] ?? message) : message;
}

/** Both sides of a comparison; undefined if nothing was compared, or both read the same. */
function differenceOf(error: unknown): TestFailure['difference'] {
  if (!isRecord(error) || !('expected' in error) || !('actual' in error)) return undefined;
  const { expected, actual } = error;
  if (expected === undefined && actual === undefined) return undefined;
  const texts = { expected: valueText(expected), actual: valueText(actual) };
  return texts.expected === texts.actual ? undefined : texts;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return inspect(value, {
    ...{ depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity },
    ...{ sorted: true, compact: false, breakLength: 80 },
  });
}
