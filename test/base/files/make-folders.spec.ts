import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolders } from '../../../src/base/files/make-folders';

describe('folders that are made', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-folders-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  const failure = (code: string): Error => Object.assign(new Error(`${code}: no`), { code });
  const fails = (code: string) => () => Promise.reject(failure(code));

  it('are there with those above them, also if they were there before', async () => {
    for (const time of [1, 2]) {
      await makeFolders(join(root, 'a', 'b'));
      assert.ok(statSync(join(root, 'a', 'b')).isDirectory(), `${time}`);
    }
  });

  it('tell the reason of the nearest folder that is there, on a disk that can only be read', async () => {
    const asked: string[] = [];
    const disk = {
      mkdir: fails('ENOENT'),
      access: (path: string) => {
        asked.push(path);
        return Promise.reject(failure('EROFS'));
      },
    };
    await assert.rejects(makeFolders(join(root, 'a', 'b'), disk), { code: 'EROFS' });
    assert.deepEqual(asked, [root]);
  });

  it('tell the reason of the system otherwise', async () => {
    writeFileSync(join(root, 'file'), '');
    await assert.rejects(makeFolders(join(root, 'file', 'a')), { code: 'ENOTDIR' });
    const disk = { mkdir: fails('ENOENT'), access: () => Promise.resolve() };
    await assert.rejects(makeFolders(join(root, 'a'), disk), { code: 'ENOENT' });
  });
});
