import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths';
import { wrongRows } from '../../scripts/support/tries';

const page = (said: number, tests: string): string =>
  `| attack | tries | result | test |\n| ------ | ----- | ------ | ---- |\n| a pipe | ${said}     | named  | ${tests} |\n`;

const counted = (said: number, tests: string, tries: Readonly<Record<string, number>>): readonly number[] =>
  wrongRows(page(said, tests), tries).map(row => row.counted);

describe('the tries that docs/reliability.md counts', () => {
  const tries = { 'tools read of a pipe: named': 2, 'tools write of a pipe: named': 3, 'tools of a folder': 7 };

  it('are those of all tests that a row names, each once', () => {
    assert.deepEqual(counted(5, '`of a pipe`', tries), []);
    assert.deepEqual(counted(5, '`read of`, `write of`, `of a pipe`', tries), []);
    assert.deepEqual(counted(12, '`tools`', tries), []);
    assert.deepEqual(counted(4, '`of a pipe`', tries), [5]);
  });

  it('take … for any text, in order', () => {
    assert.deepEqual(counted(0, '`tools … pipe: named`', tries), [5]);
    assert.deepEqual(counted(1, '`named … tools`', tries), [0]);
  });

  it('are none where no test of the name ran', () => {
    assert.deepEqual(counted(3, '`of a socket`', tries), [0]);
  });

  it('stand in every table of the page', () => {
    const text = readFileSync(join(ROOT, 'docs', 'reliability.md'), 'utf8');
    const rows = text.split('\n').filter(line => /^\| (?!attack|-)/.test(line));
    assert.ok(rows.length > 50);
    assert.equal(wrongRows(text, {}).length, rows.length);
  });
});
