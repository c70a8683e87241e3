import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execCommand } from '../../src/agent/tools/shell/exec';

/** Says its pid in a file, and then waits. */
const waits = (file: string): readonly string[] => [
  '-e',
  `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000);`,
];

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a command on Windows', function () {
  this.timeout(120_000);
  const cwd = mkdtempSync(join(tmpdir(), 'commands ü '));

  it('gets its arguments as they are, and gives both outputs and its code', async () => {
    const args = ['a b', 'ü', '"quoted"', 'back\\slash\\', '%PATH%', '', '&|<>^'];
    const program =
      'console.log(JSON.stringify(process.argv.slice(1))); console.error(process.cwd()); process.exitCode = 3';
    const result = await execCommand(process.execPath, ['-e', program, '--', ...args], { cwd });
    assert.deepEqual(JSON.parse(result.stdout), args);
    assert.deepEqual([result.stderr.trim(), result.code, result.killed], [cwd, 3, false]);
  });

  for (const how of ['a timeout', 'an abort'] as const) {
    it(`is ended by ${how}, and a bystander that the same program started is not`, async () => {
      const file = join(cwd, `pid of ${how}`);
      const bystander = spawn(process.execPath, [...waits(`${file} beside`)], { stdio: 'ignore' });
      try {
        const controller = new AbortController();
        const running = execCommand(process.execPath, waits(file), {
          cwd,
          ...(how === 'a timeout' ? { timeout: 5_000 } : { signal: controller.signal }),
        });
        const pid = await pidIn(file);
        await pidIn(`${file} beside`);
        controller.abort();
        const { killed, code } = await running;
        assert.deepEqual([killed, code === 0], [true, false]);
        assert.ok(!isAlive(pid), 'the command has ended');
        assert.ok(isAlive(bystander.pid ?? 0), 'the bystander lives');
        assert.equal(bystander.exitCode, null);
      } finally {
        bystander.kill();
        await once(bystander, 'exit');
      }
    });
  }

  it('that is not there is told as such', async () => {
    const { code, stderr } = await execCommand('no-such-program', [], { cwd });
    assert.deepEqual([code, stderr], [1, 'spawn no-such-program ENOENT']);
  });
});

/** Waits for a program to say its pid. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    try {
      const pid = Number(readFileSync(file, 'utf8'));
      if (pid > 0) return pid;
    } catch {
      // Not there yet.
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
