import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobStore } from '../../../src/agent/changes/blob-store';
import { git } from '../../../src/agent/changes/git';
import { keepBlobs } from '../../../src/agent/changes/git-blobs';
import { ChangeJournal } from '../../../src/agent/changes/journal';
import { silentLog } from '../../../src/base/log';
import { itWith } from '../../support/platform';

describe('what is kept of changed files', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline kept '));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is forgotten after a month, also where no change was ever written down', async () => {
    for (const name of ['old', 'fresh']) mkdirSync(join(root, name, 'blobs'), { recursive: true });
    utimesSync(join(root, 'old'), new Date(0), new Date(0));
    await ChangeJournal.open(root, silentLog);
    assert.deepEqual([existsSync(join(root, 'old')), existsSync(join(root, 'fresh'))], [false, true]);
  });

  itWith('git', 'is read from git with two processes for many files, and none once it was ended', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    const contents = ['', '\n', 'a b\n\n', '\0\n1 blob 3\n', ...Array.from({ length: 60 }, (_, n) => `${n}`.repeat(n))];
    const names = [...new Set(contents)].map((text, index) => {
      writeFileSync(join(root, `f${index}`), text);
      return `f${index}`;
    });
    const hashed = execFileSync('git', ['hash-object', '-w', '--no-filters', ...names], {
      cwd: root,
      encoding: 'utf8',
    });
    const objects = hashed.trim().split('\n');
    const missing = '1'.repeat(40);
    const blobs = new BlobStore(join(root, 'kept'));
    let count = 0;
    const run: Parameters<typeof keepBlobs>[0] = (args, more) => {
      count += 1;
      return git(args, { cwd: root, ...more });
    };
    const kept = await keepBlobs(run, [...objects, missing, ...objects], blobs);
    assert.equal(count, 2);
    assert.equal(kept.has(missing), false);
    for (const [index, text] of [...new Set(contents)].entries()) {
      const bytes = await blobs.get(kept.get(objects[index] ?? '')?.blob ?? '');
      assert.equal(bytes?.toString(), text);
    }
    await assert.rejects(keepBlobs(run, objects, blobs, AbortSignal.abort()), { name: 'AbortError' });
  });
});
