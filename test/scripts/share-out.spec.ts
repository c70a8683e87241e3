import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareOut } from '../../scripts/support/suite.ts';

describe('sharing out the files of a suite', () => {
  let root: string;

  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-share-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const filesOf = (...sizes: readonly number[]): string[] =>
    sizes.map((size, index) => {
      const file = join(root, `${index}.mjs`);
      writeFileSync(file, ' '.repeat(size));
      return file;
    });

  it('gives each file to one part, long files to the first parts and short ones to the last', () => {
    const sizes = Array.from({ length: 40 }, (_, index) => 500 * ((index * 7) % 40));
    const files = filesOf(...sizes);
    const parts = shareOut(files, 2);
    assert.deepEqual(parts.flat().sort(), [...files].sort());
    const longest = parts.map(part => Math.max(...part.map(file => sizes[files.indexOf(file)] ?? 0)));
    assert.deepEqual(
      longest,
      [...longest].sort((a, b) => b - a),
    );
    assert.ok((parts[0]?.length ?? 0) > (parts.at(-1)?.length ?? 0));
    assert.ok((parts.at(-1)?.length ?? 0) <= 3, 'the last part is short');
  });

  it('has one part for one file, and none for none', () => {
    assert.equal(shareOut(filesOf(10), 2).length, 1);
    assert.deepEqual(shareOut([], 2), []);
  });
});
