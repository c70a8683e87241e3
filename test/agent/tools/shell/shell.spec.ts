import assert from 'node:assert/strict';
import { findShell, shellCandidates, shellCommand, type ShellLookup } from '../../../../src/agent/tools/shell/shell';

const windows = {
  platform: 'win32' as const,
  env: {
    ProgramFiles: 'C:\\Program Files',
    'ProgramFiles(x86)': 'C:\\Program Files (x86)',
    Path: 'C:\\bin;"D:\\my tools";relative',
  },
};

function lookup(base: Omit<ShellLookup, 'exists'>, ...existing: string[]): ShellLookup {
  return { ...base, exists: path => existing.includes(path) };
}

describe('shell', () => {
  it('tries /bin/bash, bash on PATH, sh on Unix', () => {
    const base = { platform: 'linux' as const, env: { PATH: '/usr/bin:/opt/b in' } };
    assert.deepEqual(shellCandidates(base), [
      '/bin/bash',
      '/usr/bin/bash',
      '/opt/b in/bash',
      '/bin/sh',
      '/usr/bin/sh',
      '/opt/b in/sh',
    ]);
    assert.equal(findShell(lookup(base, '/opt/b in/bash', '/bin/sh')), '/opt/b in/bash');
    assert.equal(findShell(lookup(base, '/bin/sh')), '/bin/sh');
    assert.throws(() => findShell(lookup(base)), /^Error: No shell found\. Searched:\n {2}\/bin\/bash\n/);
  });

  it('tries Git Bash, then bash.exe on PATH on Windows', () => {
    assert.deepEqual(shellCandidates(windows), [
      'C:\\Program Files\\Git\\bin\\bash.exe',
      'C:\\Program Files (x86)\\Git\\bin\\bash.exe',
      'C:\\bin\\bash.exe',
      'D:\\my tools\\bash.exe',
    ]);
    assert.throws(() => findShell(lookup(windows)), /Install Git for Windows/);
  });

  it('lets the user choose, and says so when the choice is not there', () => {
    const base = { ...windows, shellPath: 'E:\\sh.exe' };
    assert.equal(findShell(lookup(base, 'E:\\sh.exe')), 'E:\\sh.exe');
    assert.throws(() => findShell(lookup(base)), { message: 'Custom shell path not found: E:\\sh.exe' });
  });

  it('joins the streams on Unix only', () => {
    assert.deepEqual(shellCommand('/bin/bash', 'echo "x"', 'darwin'), {
      command: '/bin/sh',
      args: ['-c', 'exec "$0" "$@" 2>&1', '/bin/bash', '-c', 'echo "x"'],
    });
    assert.deepEqual(shellCommand('C:\\bash.exe', 'echo', 'win32'), { command: 'C:\\bash.exe', args: ['-c', 'echo'] });
  });
});
