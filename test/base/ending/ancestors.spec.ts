import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseAncestors, readAncestors } from '../../../src/base/ending/ancestors';
import { readProcessRow } from '../../../src/base/ending/process-table';
import { itOnLinux } from '../../support/platform';

describe('the processes above another one', () => {
  itOnLinux('are read with their command lines and the names of their variables, the nearest first', async () => {
    const env = { PATH: process.env['PATH'], SET: 'x', EMPTY: '', 'not a name': 'x' };
    const shell = spawn('bash', ['-c', 'env -i sleep 600 & echo $!; wait'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [text] = (await once(shell.stdout, 'data')) as [Buffer];
    const sleeper = Number(text.toString());
    try {
      const [own, above, test] = readAncestors(sleeper);
      assert.equal(own?.pid, sleeper);
      assert.deepEqual(
        [above?.pid, above?.parent, above?.startedAt, above?.words.slice(0, 2)],
        [shell.pid, process.pid, readProcessRow(shell.pid ?? 0)?.startedAt, ['bash', '-c']],
      );
      assert.deepEqual(
        ['SET', 'EMPTY', 'not a name'].map(name => above?.variables.includes(name)),
        [true, false, false],
      );
      assert.equal(test?.pid, process.pid);
    } finally {
      process.kill(sleeper, 'SIGKILL');
      shell.kill('SIGKILL');
    }
  });

  it('are none for a process that has ended, and for no process', () => {
    assert.deepEqual([0, -1, NaN, 2 ** 30].map(readAncestors), [[], [], [], []]);
  });

  it('are read from what ps prints', () => {
    const rows = parseAncestors(
      '    1     0 /sbin/launchd\n  501     1 /usr/local/bin/claude -p go CLAUDECODE=1 EMPTY= HOME=/Users/me\n 502 501 -zsh\n\nps: x\n',
    );
    assert.deepEqual([...rows.keys()], [1, 501, 502]);
    assert.deepEqual(rows.get(501), {
      ...{ pid: 501, parent: 1, startedAt: undefined },
      words: ['/usr/local/bin/claude', '-p', 'go', 'CLAUDECODE=1', 'EMPTY=', 'HOME=/Users/me'],
      variables: ['CLAUDECODE', 'HOME'],
    });
  });
});
