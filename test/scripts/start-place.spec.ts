import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimPlace } from '../../scripts/start/place.ts';
import { rememberEnvironment } from '../support/environment';

describe('the place of npm start', () => {
  let root: string;
  let restore: () => void;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-start-'));
    restore = rememberEnvironment();
    process.env['HOOKLINE_CACHE'] = join(root, 'cache');
  });
  afterEach(() => {
    restore();
    rmSync(root, { recursive: true });
  });

  it('makes a repository of the sample, and leaves the one alone that a git hook runs in', async () => {
    execFileSync('git', ['init', '--quiet', '--bare', 'theirs'], { cwd: root });
    const theirs = join(root, 'theirs');
    const before = readdirSync(theirs, { recursive: true }).toSorted();
    Object.assign(process.env, { GIT_DIR: theirs, GIT_WORK_TREE: root, GIT_INDEX_FILE: join(theirs, 'index') });
    const place = await claimPlace({ keep: false });
    restore();
    const files = execFileSync('git', ['ls-files', 'build'], { cwd: place.workspace, encoding: 'utf8' });
    assert.equal(files.trim(), 'build/greeting.txt');
    assert.deepEqual(readdirSync(theirs, { recursive: true }).toSorted(), before);
    place.release();
  });
});
