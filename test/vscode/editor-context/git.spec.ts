import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberEnvironment } from '../../support/environment';
import { readGitDiff, readGit } from '../../../src/vscode/editor-context/git';

describe('git for @diff', () => {
  let folder: string;
  const run = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const ran = (): boolean => existsSync(join(folder, '.git', 'ran'));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline git '));
    run('init', '-q');
    writeFileSync(join(folder, 'a.txt'), 'old\n');
    run('add', '.');
    run('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-qm', 'first');
    writeFileSync(join(folder, 'a.txt'), 'new\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('tells what changed', async () => {
    const { output, code } = await readGitDiff(folder, ['HEAD', '--', '.']);
    assert.equal(code, 0);
    assert.match(output, /-old\n\+new\n/);
  });

  it('reads the repository of the folder, not the one that the variables of a git hook name', async () => {
    const other = mkdtempSync(join(tmpdir(), 'hookline git '));
    execFileSync('git', ['init', '-q'], { cwd: other });
    const restore = rememberEnvironment();
    Object.assign(process.env, { GIT_DIR: join(other, '.git'), GIT_INDEX_FILE: join(other, '.git', 'index') });
    try {
      assert.match((await readGitDiff(folder, ['HEAD', '--', '.'])).output, /-old\n\+new\n/);
    } finally {
      restore();
      rmSync(other, { recursive: true });
    }
  });

  for (const [setting, attributes] of [
    ['core.fsmonitor', ''],
    ['diff.external', ''],
    ['diff.x.command', '* diff=x'],
    ['diff.x.textconv', '* diff=x'],
    ['filter.x.clean', '* filter=x'],
    ['filter.x.process', '* filter=x'],
  ] as const) {
    it(`runs nothing that ${setting} of the repository names`, async () => {
      writeFileSync(join(folder, '.git', 'info', 'attributes'), attributes);
      const program = join(folder, '.git', 'program.sh');
      writeFileSync(program, `#!/bin/sh\ntouch .git/ran\ncat "$@"\n`, { mode: 0o755 });
      run('config', setting, `'${program}'`);
      const { output } = await readGitDiff(folder, ['HEAD', '--', '.']);
      await readGit(folder, ['ls-files', '--others', '--exclude-standard', '--', '.']);
      assert.equal(ran(), false);
      assert.match(output, /-old\n\+new\n/);
      // Without our care it does run: the test would otherwise show nothing.
      try {
        run('diff', 'HEAD');
      } catch {
        // A program that does not speak git's protocol fails the command, after it ran.
      }
      assert.equal(ran(), true);
    });
  }
});
