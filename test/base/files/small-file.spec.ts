import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSmallSync } from '../../../src/base/files/regular-file';
import { itOnPosix } from '../../support/platform';

describe('a small file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-small-'));
  const file = (name: string, bytes: string): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  after(() => rmSync(folder, { recursive: true }));

  it('is read at once', () => {
    assert.equal(readSmallSync(file('text', 'a line\n'))?.toString(), 'a line\n');
    assert.equal(readSmallSync(file('most', 'x'.repeat(64 * 1024)))?.length, 64 * 1024);
  });

  it('is left to who can wait when it is long, empty, a folder or missing', () => {
    const others = [file('long', 'x'.repeat(64 * 1024 + 1)), file('empty', ''), folder, join(folder, 'none')];
    for (const path of others) assert.equal(readSmallSync(path), undefined, path);
  });

  itOnPosix('is left to who can wait when its contents are not on the disk', function () {
    const hollow = file('hollow', '');
    truncateSync(hollow, 4096);
    assert.equal(readSmallSync(hollow), undefined);
  });
});
