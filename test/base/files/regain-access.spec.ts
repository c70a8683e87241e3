import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { regainAccess } from '../../../src/base/files/regain-access';
import { itOnPosix } from '../../support/platform';

describe('rights that an agent took away from files of the person', () => {
  let root: string;
  let folder: string;
  let file: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline rights ü-'));
    folder = join(root, 'hooks');
    file = join(folder, 'gate.ts');
    mkdirSync(folder);
    writeFileSync(file, 'gate');
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
    rmSync(root, { recursive: true });
  });

  const modeOf = (path: string): number => statSync(path).mode & 0o7777;

  for (const [was, is] of [
    [0o000, 0o600],
    [0o444, 0o644],
    [0o200, 0o600],
    [0o755, 0o755],
  ] as const) {
    itOnPosix(`come back to a file with mode ${was.toString(8)}, and its other bits stay`, async () => {
      chmodSync(file, was);
      await regainAccess(file);
      assert.equal(modeOf(file), is);
    });
  }

  for (const [what, was, is] of [
    ['that is closed', 0o050, 0o150],
    ['in which no file can be made', 0o550, 0o550],
  ] as const) {
    itOnPosix(`come back to a folder ${what} as far as its file needs them`, async () => {
      chmodSync(file, 0o000);
      chmodSync(folder, was);
      await regainAccess(file);
      assert.deepEqual([modeOf(folder), modeOf(file)], [is, 0o600]);
    });
  }

  itOnPosix('come back to a folder in which the file is to be made', async () => {
    rmSync(file);
    chmodSync(folder, 0o555);
    await regainAccess(file);
    assert.equal(modeOf(folder), 0o755);
  });

  itOnPosix('do not come to what a link leads to', async () => {
    const other = join(root, 'other.ts');
    writeFileSync(other, '');
    chmodSync(other, 0o400);
    rmSync(file);
    symlinkSync(other, file);
    await regainAccess(file);
    assert.equal(modeOf(other), 0o400);
  });

  it('are no error where there is no file and no folder', () => regainAccess(join(root, 'none', 'none.ts')));
});
