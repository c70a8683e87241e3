import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { runProcess } from '../../../../src/agent/tools/shell/process';
import { eachFileBelow } from '../../../../src/agent/tools/search/files-below';
import { oddIgnoreFileAbove, oddIgnoreFileBelow } from '../../../../src/agent/tools/search/odd-ignore-file';
import { RipgrepLocator } from '../../../../src/agent/tools/search/ripgrep';
import { isMissingProgram, withinSearchTime, withMemoryLimit } from '../../../../src/agent/tools/search/search-limits';
import { inFolder } from '../fixture';
import { itOnLinux } from '../../../support/platform';

describe('limits of a search', function () {
  this.timeout(30_000);
  const env = { env: {}, home: '/nowhere' };

  it('of time: it is an error that says so, and the search is stopped', async () => {
    let stopped = false;
    const endless = async (signal: AbortSignal): Promise<never> => {
      while (!signal.aborted) await setImmediate();
      stopped = true;
      throw new Error('aborted');
    };
    await assert.rejects(withinSearchTime(undefined, endless, 5), {
      message: 'The search took longer than 1 s. Search a smaller folder.',
    });
    assert.equal(stopped, true);
    await assert.rejects(withinSearchTime(AbortSignal.abort(), endless, 60_000), { message: 'aborted' });
  });

  itOnLinux('of memory: the program has one, and arguments stay as they are', async () => {
    let printed = '';
    const end = await runProcess({
      ...withMemoryLimit('/bin/sh', ['-c', 'ulimit -v; ulimit -c; echo "$1"', 'sh', 'a b"$(c)']),
      cwd: '/',
      env: process.env,
      onStdout: chunk => {
        printed += chunk.toString();
      },
    });
    assert.deepEqual([end.kind, printed], ['exited', '1048576\n0\na b"$(c)\n']);
    const missing = await runProcess({ ...withMemoryLimit('/nowhere/rg', []), cwd: '/', env: process.env });
    assert.ok(missing.kind === 'exited' && isMissingProgram(missing.code));
  });

  it('of memory: none where the system has none', () => {
    assert.deepEqual(withMemoryLimit('rg', ['-x'], 'darwin'), { command: 'rg', args: ['-x'] });
  });

  itOnLinux('of memory: a search for which ripgrep has too little says so', async () => {
    await inFolder({ rg: '#!/bin/sh\nprintf "./a.txt\\\\0"\nkill -ABRT $$\n', 'in/a.txt': '' }, async folder => {
      execFileSync('chmod', ['+x', join(folder.path, 'rg')]);
      const { platform, arch } = process;
      const dying = new RipgrepLocator('/nowhere', {
        ...{ platform, arch, env: { PATH: folder.path }, execPath: '/nowhere/node' },
        packaged: () => Promise.resolve(undefined),
      });
      await assert.rejects(
        eachFileBelow(join(folder.path, 'in'), dying, () => undefined, undefined),
        { message: 'ripgrep was ended by SIGABRT, as when it has no memory left. Search a smaller folder.' },
      );
    });
  });

  itOnLinux('find an ignore file without end above, in a worktree, in the settings of git, and below', async () => {
    await inFolder({ 'in/a.txt': '', 'tree/.git': 'gitdir: ../git/worktrees/tree\n' }, async folder => {
      const pipe = (name: string): string => {
        const path = join(folder.path, name);
        execFileSync('mkdir', ['-p', join(path, '..')]);
        execFileSync('mkfifo', [path]);
        return path;
      };
      const within = join(folder.path, 'in');
      const home = join(folder.path, 'home');
      assert.equal(oddIgnoreFileAbove(within, env), undefined);
      assert.equal(await oddIgnoreFileBelow(within, new AbortController().signal), undefined);
      const commondir = pipe('git/worktrees/tree/commondir');
      assert.equal(oddIgnoreFileAbove(join(folder.path, 'tree'), env), commondir);
      const excludes = pipe('home/excludes');
      folder.put('home/.gitconfig', '[core]\n\texcludesFile = ~/excludes\n');
      assert.equal(oddIgnoreFileAbove(within, { env: {}, home }), excludes);
      const ignore = pipe('config/git/ignore');
      assert.equal(
        oddIgnoreFileAbove(within, { env: { XDG_CONFIG_HOME: join(folder.path, 'config') }, home: '/nowhere' }),
        ignore,
      );
      symlinkSync('/dev/null', join(within, '.gitignore'));
      symlinkSync('.git', join(within, '.git'));
      assert.equal(oddIgnoreFileAbove(within, env), undefined, 'one ends at once, one leads nowhere');
      const below = pipe('in/deep/er/.rgignore');
      assert.equal(await oddIgnoreFileBelow(within, new AbortController().signal), below);
      const large = join(folder.path, '.ignore');
      const file = openSync(large, 'w');
      ftruncateSync(file, 17 * 1024 * 1024);
      closeSync(file);
      assert.equal(oddIgnoreFileAbove(within, env), large);
    });
  });
});
