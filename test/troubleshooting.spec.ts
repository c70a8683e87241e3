import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/support/paths.ts';
import { productMessages } from './support/product-messages';

/** The messages of the page, as they stand in the first column of its tables. */
function listed(): readonly string[] {
  const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
  return [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, message = '']) => message);
}

/** Matches a message whose variable parts are what a listed one leaves open. */
function patternOf(message: string): RegExp {
  const parts = message.split('…').map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(String.raw`[\s\S]*`)}$`, 'u');
}

/** Something stands in it beside what is left open; a row that fits everything would explain nothing. */
function saysSomething(message: string): boolean {
  return /\p{L}{3}/u.test(message.replaceAll('…', ''));
}

describe('docs/troubleshooting.md', () => {
  const messages = productMessages();
  const rows = listed();
  const patterns = rows.map(patternOf);

  it('explains every message that a person can meet', () => {
    assert.ok(messages.length > 250, `only ${messages.length} messages were found in src`);
    const missing = messages.filter(({ text }) => saysSomething(text) && !patterns.some(each => each.test(text)));
    assert.deepEqual(
      missing.map(({ text, file }) => `${file}: ${text}`),
      [],
    );
  });

  it('lists no message that is not there any more, and none twice', () => {
    const stale = rows.filter((_row, at) => !messages.some(({ text }) => patterns[at]?.test(text)));
    assert.deepEqual(stale, []);
    assert.equal(new Set(rows).size, rows.length);
    assert.deepEqual(
      rows.filter(row => !saysSomething(row)),
      [],
    );
  });

  it('finds a message that is missing', () => {
    assert.ok(!patterns.some(each => each.test('The moon is not round any more.')));
  });
});
