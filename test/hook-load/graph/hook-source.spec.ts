import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { hashOf } from '../../../src/base/files/hash-of';
import { HookSource } from '../../../src/hook-load/graph/hook-source';
import { TempFiles } from '../support/temp-files';

describe('a file of a hook', () => {
  let files: TempFiles;
  beforeEach(() => (files = new TempFiles()));
  afterEach(() => files.remove());

  const sourceOf = (content: string | Buffer): HookSource => {
    const path = files.path('a.ts');
    writeFileSync(path, content);
    return HookSource.read(path);
  };

  it('has its text without a byte order mark, the hash of that, and its size in bytes', () => {
    for (const text of ['export {};\n', '— 😀\n', '']) {
      for (const content of [text, `\uFEFF${text}`]) {
        const { text: read, hash, size } = sourceOf(content);
        assert.deepEqual([read, hash, size], [text, hashOf(text), Buffer.byteLength(text)]);
      }
    }
    assert.equal(HookSource.of('/a.ts', '—').hash, hashOf('—'));
  });

  it('has the hash of its text where its bytes are no valid UTF-8', () => {
    const { text, hash } = sourceOf(Buffer.from([0x61, 0xff, 0x62]));
    assert.equal(text, 'a\uFFFDb');
    assert.equal(hash, hashOf(text));
  });

  it('does not exist where it cannot be read', () => {
    assert.equal(HookSource.readIfPossible(files.path('missing.ts')), undefined);
    assert.throws(() => HookSource.read(files.path('missing.ts')), /ENOENT/);
  });
});
