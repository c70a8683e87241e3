import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/support/paths.ts';

/** Names of tests in the last column of the tables of docs/reliability.md: what stands between `…`, in order. */
function namedTests(text: string): readonly (readonly string[])[] {
  const cells = text.split('\n').flatMap(line => (line.startsWith('|') ? [line.split('|').at(-2) ?? ''] : []));
  return cells.flatMap(cell =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.split('…').flatMap(part => part.trim() || [])),
  );
}

/** Texts of the source of all tests; a title that a loop makes up is there in parts. */
const tests = globSync('test/**/*.{spec,test,e2e}.ts', { cwd: ROOT, exclude: ['test/reliability.spec.ts'] }).map(path =>
  readFileSync(join(ROOT, path), 'utf8').replaceAll("\\'", "'"),
);

describe('docs/reliability.md', () => {
  const named = namedTests(readFileSync(join(ROOT, 'docs', 'reliability.md'), 'utf8'));

  it('names tests', () => assert.ok(named.length > 30));

  for (const parts of named) {
    it(`names a test that is there: ${parts.join(' … ')}`, () => {
      assert.ok(
        tests.some(text => parts.every(part => text.includes(part))),
        'no test has this name',
      );
    });
  }
});
