import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of the golden files. */
export const GOLDEN = resolve('test/golden');

const UPDATE = 'npm test -- --suite unit --file golden --update-golden';

/**
 * Compares a text with a file of {@link GOLDEN}. `npm test -- --update-golden` writes the file instead; otherwise, a missing file
 * fails.
 */
export function assertGolden(name: string, text: string): void {
  const file = join(GOLDEN, name);
  if (process.env['HOOKLINE_UPDATE_GOLDEN'] !== undefined) writeFileSync(file, text);
  assert.ok(existsSync(file), `test/golden/${name} does not exist. To write it: ${UPDATE}`);
  const expected = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  if (text === expected) return;
  const [now, before] = [text.split('\n'), expected.split('\n')];
  const at = now.findIndex((line, index) => line !== before[index]);
  const place = at < 0 ? now.length : at;
  const around = (lines: readonly string[]): string => lines.slice(Math.max(0, place - 8), place + 8).join('\n');
  const message = `line ${place + 1} of test/golden/${name} differs. If that is meant: ${UPDATE}`;
  throw new assert.AssertionError({
    message: `${message}\n--- the file\n${around(before)}\n--- now\n${around(now)}`,
    operator: 'golden',
  });
}
