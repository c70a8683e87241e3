import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TESTS = join(import.meta.dirname, '..');

/** Titles of suites and tests as they stand in the sources; what is computed in them reads as written. */
function titles(): readonly string[] {
  return globSync('**/*.{spec,test,e2e,peer}.ts', { cwd: TESTS }).flatMap(file => {
    const text = readFileSync(join(TESTS, file), 'utf8');
    return [...text.matchAll(/\b(?:it|seedIt|describe)\(\s*(['"`])([^\n]*?)\1\s*[,)]/g)].map(match => match[2] ?? '');
  });
}

describe('numbers of the reference', () => {
  const found = titles();

  it('all 60 edge cases of section 20 stand in the title of a test', () => {
    const missing = Array.from({ length: 60 }, (_, at) => at + 1).filter(
      number => !found.some(title => new RegExp(`#${number}\\b`).test(title)),
    );
    assert.deepEqual(missing, []);
  });

  it('all 36 conflicts of section 18 stand in the title of a test', () => {
    const missing = Array.from({ length: 36 }, (_, at) => `C${at + 1}`).filter(
      number => !found.some(title => new RegExp(`\\b${number}\\b`).test(title)),
    );
    assert.deepEqual(missing, []);
  });
});
