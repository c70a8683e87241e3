import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { execCommand } from '../../../../src/agent/tools/shell/exec';
import {
  commandEnvironment,
  runProcess,
  withholdVariables,
  type ProcessSpec,
} from '../../../../src/agent/tools/shell/process';
import { inFolder, processesWith, sleeperSeconds, until } from '../fixture';

const cwd = tmpdir();

function shell(line: string, options: Partial<ProcessSpec> = {}): ProcessSpec {
  return { command: '/bin/bash', args: ['-c', line], cwd, env: process.env, ...options };
}

/** A process that starts `line` and only then fires: what must be killed is there by then. */
async function abortWhenRunning(
  line: string,
  sleepers: number,
  seconds: string,
): Promise<{ killed: boolean; code: number }> {
  const controller = new AbortController();
  const running = execCommand('/bin/bash', ['-c', line], { cwd, signal: controller.signal, graceMs: 200 });
  await until(async () => (await processesWith(`sleep ${seconds}`)).length >= sleepers, `${sleepers} sleepers`);
  controller.abort();
  return running;
}

describe('runProcess', function () {
  this.timeout(120_000);

  it('tells how the process ended', async () => {
    assert.deepEqual(await runProcess(shell('exit 7')), { kind: 'exited', code: 7, exitSignal: null });
    assert.deepEqual(await runProcess(shell('kill -15 $$')), { kind: 'exited', code: 143, exitSignal: 'SIGTERM' });
    const failed = await runProcess({ ...shell(''), command: '/no/such/program' });
    assert.ok(failed.kind === 'failed' && /ENOENT/.test(failed.error.message));
    const impossible = await runProcess({ ...shell(''), args: ['a\0b'] });
    assert.equal(impossible.kind, 'failed');
  });

  it('reads to the end what came while the reader held the pipe back', async () => {
    let read = 0;
    const onStdout = async (chunk: Buffer): Promise<void> => {
      read += chunk.length;
      await new Promise(resolve => setTimeout(resolve, 120));
    };
    await runProcess(shell('head -c 200000 /dev/zero', { onStdout }));
    assert.equal(read, 200_000);
  });

  it('survives a child that does not read its input', async () => {
    const end = await runProcess(shell('exec 0<&-; exit 3', { input: 'x'.repeat(4 * 1024 * 1024) }));
    assert.deepEqual(end, { kind: 'exited', code: 3, exitSignal: null });
  });

  it('hands input over', async () => {
    let output = '';
    await runProcess(shell('cat', { input: 'grüße', onStdout: chunk => void (output += chunk.toString()) }));
    assert.equal(output, 'grüße');
  });

  it('holds the output back for a consumer, and ends only after the consumer has', async () => {
    let started = 0;
    let done = 0;
    let most = 0;
    const onStdout = async (chunk: Buffer): Promise<void> => {
      started += chunk.length;
      most = Math.max(most, started - done);
      await new Promise(resolve => setImmediate(resolve));
      done += chunk.length;
    };
    await runProcess(shell('head -c 30000000 /dev/zero', { onStdout }));
    assert.equal(done, 30_000_000);
    // What a pipe holds when its writer ends comes at once; the rest came piece by piece.
    assert.ok(most < 2_000_000, `${most} bytes at once`);
  });

  it('lets a background process print on without breaking it', () =>
    inFolder({}, async folder => {
      const line = `(sleep 0.3; echo late; echo late; echo done > '${folder.path}/done') & echo now`;
      let output = '';
      await runProcess(shell(line, { onStdout: chunk => void (output += chunk.toString()) }));
      assert.equal(output, 'now\n');
      await until(() => {
        try {
          return folder.text('done') === 'done\n';
        } catch {
          return false;
        }
      }, 'the background process to end by itself');
    }));

  it("keeps what makes the extension host work away from commands, and marks them as an agent's", () => {
    const host = { PATH: '/bin', ELECTRON_RUN_AS_NODE: '1', VSCODE_PID: '1', VSCODE_IPC_HOOK_CLI: 's', HOME: '/h' };
    const marks = { AI_AGENT: 'pi', PI_CODING_AGENT: 'true' };
    assert.deepEqual(commandEnvironment(host), { PATH: '/bin', VSCODE_IPC_HOOK_CLI: 's', HOME: '/h', ...marks });
  });
});

describe('variables that are withheld', () => {
  it('are in no environment of a command, whatever the case of their names', () => {
    const withheld = withholdVariables(['A_KEY']);
    const names = (): string[] => Object.keys(commandEnvironment({ A_KEY: '1', a_key: '2', B_KEY: '3' }));
    assert.deepEqual(names(), ['B_KEY', 'AI_AGENT', 'PI_CODING_AGENT']);
    withheld.dispose();
    assert.deepEqual(names(), ['A_KEY', 'a_key', 'B_KEY', 'AI_AGENT', 'PI_CODING_AGENT']);
  });

  it('stay away as long as somebody withholds them, whoever stops', () => {
    const [one, other] = [withholdVariables(['A_KEY', 'B_KEY']), withholdVariables(['A_KEY'])];
    const names = (): string[] => Object.keys(commandEnvironment({ A_KEY: '1', B_KEY: '3' })).slice(0, -2);
    assert.deepEqual(names(), []);
    one.dispose();
    assert.deepEqual(names(), ['B_KEY']);
    other.dispose();
    assert.deepEqual(names(), ['A_KEY', 'B_KEY']);
  });
});

describe('execCommand', function () {
  this.timeout(120_000);

  it('gives both streams and the code', async () => {
    const result = await execCommand('/bin/bash', ['-c', 'echo "$1"; echo err >&2; exit 3', 'x', 'ä b'], { cwd });
    assert.deepEqual(result, { stdout: 'ä b\n', stderr: 'err\n', code: 3, killed: false, truncated: false });
  });

  it('uses no shell', async () =>
    assert.equal((await execCommand('echo', ['$HOME; ls'], { cwd })).stdout, '$HOME; ls\n'));

  it('passes an environment on top of the own one', async () => {
    const { stdout } = await execCommand('/bin/sh', ['-c', 'echo $MINE; echo ${PATH:+path}'], {
      cwd,
      env: { MINE: 'yes' },
    });
    assert.equal(stdout, 'yes\npath\n');
  });

  it('has an empty stdin', async () => assert.equal((await execCommand('cat', [], { cwd })).code, 0));

  it('never rejects: a missing program or folder gives code 1', async () => {
    const missing: readonly (readonly [string, readonly string[], string, RegExp])[] = [
      ['no-such-program-here', [], cwd, /^spawn no-such-program-here ENOENT$/],
      ['true', [], '/no/such/folder', /ENOENT/],
      ['', [], cwd, /empty/],
      ['true', ['\0'], cwd, /null bytes/],
    ];
    for (const [command, args, folder, reason] of missing) {
      const { stderr, ...rest } = await execCommand(command, args, { cwd: folder });
      assert.deepEqual(rest, { stdout: '', code: 1, killed: false, truncated: false });
      assert.match(stderr, reason);
    }
  });

  it('is killed at once by a signal that has fired', async () => {
    const result = await execCommand('/bin/sh', ['-c', 'echo ran'], { cwd, signal: AbortSignal.abort() });
    assert.deepEqual(result, { stdout: '', stderr: '', code: 143, killed: true, truncated: false });
  });

  it('ends by timeout in milliseconds, keeping the output, with a code that is not 0', async () => {
    const seconds = sleeperSeconds();
    const result = await execCommand('/bin/bash', ['-c', `echo before; sleep ${seconds}`], { cwd, timeout: 200 });
    assert.deepEqual(result, { stdout: 'before\n', stderr: '', code: 143, killed: true, truncated: false });
    assert.deepEqual(await processesWith(seconds), []);
    const polite = await execCommand('/bin/bash', ['-c', `trap 'exit 0' TERM; echo up; sleep ${seconds} & wait`], {
      cwd,
      timeout: 200,
    });
    assert.deepEqual([polite.killed, polite.code], [true, 143]);
  });

  it('ends a command that prints more than it may on both streams, and keeps what fits', async () => {
    const seconds = sleeperSeconds();
    const line = `printf 0123456789; sleep 0.1; printf abcdef >&2; sleep ${seconds}`;
    const result = await execCommand('/bin/bash', ['-c', line], { cwd, maxBuffer: 12, graceMs: 200 });
    assert.deepEqual(result, { stdout: '0123456789', stderr: 'ab', code: 143, killed: true, truncated: true });
    assert.deepEqual(await processesWith(seconds), []);
    const exact = await execCommand('/bin/bash', ['-c', 'printf ok'], { cwd, maxBuffer: 2 });
    assert.deepEqual([exact.stdout, exact.killed, exact.truncated], ['ok', false, false]);
  });

  it('leaves no process: children', async () => {
    const seconds = sleeperSeconds();
    const result = await abortWhenRunning(`sleep ${seconds} & sleep ${seconds} & wait`, 2, seconds);
    assert.deepEqual([result.killed, result.code], [true, 143]);
    assert.deepEqual(await processesWith(seconds), []);
  });

  it('leaves no process: those that ignore SIGTERM', async () => {
    const seconds = sleeperSeconds();
    const result = await abortWhenRunning(
      `trap '' TERM; (trap '' TERM; sleep ${seconds}) & sleep ${seconds}; sleep ${seconds}`,
      2,
      seconds,
    );
    assert.deepEqual([result.killed, result.code], [true, 137]);
    assert.deepEqual(await processesWith(seconds), []);
  });

  it('leaves no process: those in a session of their own, with and without a parent, with an empty environment', async () => {
    const seconds = sleeperSeconds();
    const line = `setsid sleep ${seconds} & (setsid sleep ${seconds} &) ; setsid env -i sleep ${seconds} & sleep ${seconds}`;
    const result = await abortWhenRunning(line, 4, seconds);
    assert.equal(result.killed, true);
    assert.deepEqual(await processesWith(seconds), []);
  });

  it('leaves no process: the orphans of a parent that ends on SIGTERM', async () => {
    const seconds = sleeperSeconds();
    const line = `trap 'exit 0' TERM; setsid bash -c "trap '' TERM; sleep ${seconds}; true" & wait`;
    const result = await abortWhenRunning(line, 1, seconds);
    assert.deepEqual([result.killed, result.code], [true, 143]);
    assert.deepEqual(await processesWith(seconds), []);
  });

  it('leaves processes alone that are not its own', async () => {
    const mine = sleeperSeconds();
    const other = sleeperSeconds();
    const controller = new AbortController();
    const bystander = execCommand('sleep', [other], { cwd, signal: controller.signal });
    await until(async () => (await processesWith(other)).length === 1, 'the bystander');
    await abortWhenRunning(`sleep ${mine}`, 1, mine);
    assert.equal((await processesWith(other)).length, 1);
    controller.abort();
    assert.equal((await bystander).killed, true);
  });

  it('counts a process that something else killed as killed', async () => {
    const result = await execCommand('/bin/bash', ['-c', 'kill -9 $$'], { cwd });
    assert.deepEqual([result.killed, result.code], [true, 137]);
  });

  it('runs 30 commands at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, (_, i) => execCommand('echo', [String(i)], { cwd })));
    assert.deepEqual(
      results.map(result => result.stdout),
      Array.from({ length: 30 }, (_, i) => `${i}\n`),
    );
  });
});
