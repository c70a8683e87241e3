import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createBashTool } from '../../../../src/agent/tools/shell/bash';
import {
  executeBash,
  type BashStructured,
  type BashToolDetails,
  type BashToolOptions,
} from '../../../../src/agent/tools/shell/execute-bash';
import { ToolError, type AnyTool, type ToolContext, type ToolResult } from '../../../../src/agent/tools/tool';
import { call, inFolder, processesWith, sleeperSeconds, textFrom, textOf, until } from '../fixture';

const tool = (options?: BashToolOptions): AnyTool => createBashTool(tmpdir(), options);

async function failure(running: Promise<ToolResult>): Promise<ToolError> {
  return running.then(
    result => assert.fail(`succeeded: ${textOf(result)}`),
    (error: unknown) => {
      assert.ok(error instanceof ToolError, String(error));
      return error;
    },
  );
}

function detailsOf(result: { readonly details?: unknown }): BashToolDetails {
  return result.details as BashToolDetails;
}

/** Gives the text and removes the file that holds the whole of it. */
function takeFullOutput(details: BashToolDetails): string {
  assert.ok(details.fullOutputPath);
  const text = readFileSync(details.fullOutputPath, 'utf8');
  rmSync(details.fullOutputPath);
  return text;
}

describe('bash', function () {
  this.timeout(120_000);

  it('gives the output as it is, without details', async () => {
    const { structuredContent, ...result } = await call(tool(), { command: 'echo hi; printf "ü "; pwd' });
    assert.deepEqual(result, { content: [{ type: 'text', text: `hi\nü ${tmpdir()}\n` }], details: undefined });
    assert.equal((structuredContent as BashStructured).output, `hi\nü ${tmpdir()}\n`);
    assert.equal(await textFrom(tool(), { command: 'true' }), '(no output)');
  });

  it('gives programs the exit code, how long it took, and far more of the output than the model', async () => {
    const data = async (command: string): Promise<BashStructured> => {
      const result = await call(tool(), { command }).catch((error: unknown) => error as ToolError);
      const { fullOutputPath } = (result.details as BashToolDetails | undefined) ?? {};
      if (fullOutputPath !== undefined) rmSync(fullOutputPath);
      return result.structuredContent as BashStructured;
    };
    const { wall_time_seconds, ...poor } = await data('echo poor; exit 3');
    assert.deepEqual(poor, { output: 'poor\n', truncated: false, exit_code: 3 });
    assert.ok(wall_time_seconds >= 0);
    const lines = Array.from({ length: 100_000 }, (_, at) => `${at + 1}\n`).join('');
    const whole = await data('seq 1 100000');
    assert.deepEqual([whole.output === lines, whole.truncated, whole.full_output_path], [true, false, undefined]);
    const cut = await data("printf 'ü%.0s' $(seq 1 600000)");
    assert.deepEqual([cut.truncated, cut.exit_code, typeof cut.full_output_path], [true, 0, 'string']);
    assert.match(cut.output, /^ü{262144}\n\n\[\.\.\. 151424 bytes omitted \.\.\.\]\n\nü{262144}$/);
    const stopped = await failure(call(tool(), { command: 'sleep 9', timeout: 0.05 }));
    assert.equal(stopped.structuredContent, undefined);
  });

  it('keeps stdout and stderr in the order of writing', async () => {
    const command = 'for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done';
    const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(i => `out${i}\nerr${i}\n`).join('');
    assert.equal(await textFrom(tool(), { command }), expected);
  });

  it('runs bash, in a folder with spaces, with quotes, lines and a closed stdin', () =>
    inFolder({ 'a b.txt': 'content' }, async folder => {
      const bash = createBashTool(folder.path);
      assert.equal(
        await textFrom(bash, { command: 'cat "a b.txt"; [[ x == x ]] && echo \'it"s\'\ncat; echo $0' }),
        'contentit"s\n/bin/bash\n',
      );
    }));

  it('fails with the output and the exit code', async () => {
    const failed = await failure(call(tool(), { command: 'echo before; exit 3' }));
    assert.equal(failed.message, 'before\n\n\nCommand exited with code 3');
    assert.deepEqual(failed.content, [{ type: 'text', text: failed.message }]);
    assert.equal(failed.details, undefined);
    assert.equal(
      (await failure(call(tool(), { command: 'exit 1' }))).message,
      '(no output)\n\nCommand exited with code 1',
    );
    assert.equal(
      (await failure(call(tool(), { command: 'kill -9 $$' }))).message,
      '(no output)\n\nCommand exited with code 137',
    );
    assert.match(
      (await failure(call(tool(), { command: 'no-such-program-here' }))).message,
      /not found\n\n\nCommand exited with code 127$/,
    );
  });

  it('shows the last 2000 lines, with exact totals and the whole output in a file', async () => {
    assert.equal(detailsOf(await call(tool(), { command: 'seq 1 2000' })), undefined);
    const result = await call(tool(), { command: 'seq 1 2001' });
    const details = detailsOf(result);
    const shown = Array.from({ length: 2000 }, (_, i) => `${i + 2}\n`).join('');
    assert.equal(
      textOf(result),
      `${shown}\n\n[Showing lines 2-2001 of 2001. Full output: ${details.fullOutputPath ?? ''}]`,
    );
    assert.match(details.fullOutputPath ?? '', /\/pi-bash-[0-9a-f]+\.log$/);
    assert.deepEqual(
      [details.truncation?.truncatedBy, details.truncation?.totalLines, details.truncation?.outputLines],
      ['lines', 2001, 2000],
    );
    assert.equal(takeFullOutput(details), `1\n${shown}`);
  });

  it('shows the last 50 KB, and the end of a last line over that', async () => {
    const result = await call(tool(), { command: `for i in $(seq 1 1500); do printf '%099d\\n' $i; done` });
    const details = detailsOf(result);
    assert.match(textOf(result), /\n\n\[Showing lines 989-1500 of 1500 \(50\.0KB limit\)\. Full output: /);
    assert.equal(details.truncation?.totalBytes, 150_000);
    assert.equal(takeFullOutput(details).length, 150_000);

    const long = await call(tool(), { command: `echo start; head -c 102400 /dev/zero | tr '\\0' x` });
    const path = detailsOf(long).fullOutputPath ?? '';
    assert.equal(
      textOf(long),
      `${'x'.repeat(51_200)}\n\n[Showing last 50.0KB of line 2 (line is 100.0KB). Full output: ${path}]`,
    );
    takeFullOutput(detailsOf(long));
  });

  it('has details on failure too', async () => {
    const failed = await failure(call(tool(), { command: 'seq 1 3000; exit 2' }));
    assert.match(
      failed.message,
      /\[Showing lines 1001-3000 of 3000\. Full output: .*\]\n\nCommand exited with code 2$/,
    );
    assert.equal(takeFullOutput(detailsOf(failed)).length, 13_893);
  });

  it('takes 100 MB in little memory, and counts every line', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const onUpdate = (): void => {
      most = Math.max(most, process.memoryUsage().rss - before);
    };
    const command = `yes 'all work and no play makes jack a dull boy' | head -c 104857600`;
    const result = await call(tool(), { command }, { onUpdate });
    const details = detailsOf(result);
    try {
      assert.equal(details.truncation?.totalBytes, 104_857_600);
      assert.equal(details.truncation.totalLines, Math.ceil(104_857_600 / 43));
      assert.equal(statSync(details.fullOutputPath ?? '').size, 104_857_600);
      assert.ok(most < 80 * 1024 * 1024, `grew by ${most}`);
    } finally {
      rmSync(details.fullOutputPath ?? '', { force: true });
    }
  });

  it('puts characters together that arrive in pieces, drops control characters, keeps colours', async () => {
    assert.equal(await textFrom(tool(), { command: String.raw`printf '\xe2'; sleep 0.1; printf '\x82\xac'` }), '€');
    assert.equal(
      await textFrom(tool(), { command: String.raw`printf 'a\x00\x07b\t\x1b[31mred\x1b[0m\r\n'` }),
      'ab\t\x1b[31mred\x1b[0m\r\n',
    );
  });

  for (const [what, printed, shown] of [
    ['a title', String.raw`\033]0;title\007line 1\nline 2\n`, 'line 1\nline 2\n'],
    ['a title that ends with ST', String.raw`a\033]2;my title\033\\b\n`, 'ab\n'],
    ['hyperlinks', String.raw`\033]8;;file://host/a.txt\007a.txt\033]8;;\007\nb\n`, 'a.txt\nb\n'],
    ['a mark of a prompt', String.raw`\033]133;A\007$ \033[1mok\033[0m\n`, '$ \x1b[1mok\x1b[0m\n'],
    ['a title without an end', String.raw`a\033]0;title\r\nb\n`, 'a\r\nb\n'],
    ['a title that a color cuts', String.raw`a\033]0;title\033[31mred\n`, 'a\x1b[31mred\n'],
    ['device strings', String.raw`a\033Pq#0;2\033\\b\033Pq#0\nc\n`, 'ab\nc\n'],
    ['strings of other kinds', String.raw`a\033_Gf=100;AAAA\033\\b\033^x\007c\033Xy\033\\d\n`, 'abcd\n'],
    ['a title within one for tmux', String.raw`a\033Ptmux;\033\033]0;title\007\033\\b\n`, 'ab\n'],
    ['a title as the last thing', String.raw`a\n\033]0;title`, 'a\n'],
  ] as const) {
    it(`drops what only speaks to a terminal: ${what}`, async () => {
      assert.equal(await textFrom(tool(), { command: `printf '${printed}'` }), shown);
    });
  }

  it('sends what there is while it runs, and not too often', async () => {
    const updates: string[] = [];
    const onUpdate = (partial: ToolResult): void => void updates.push(textOf(partial));
    const command =
      'echo first; while [ ! -e "$FLAG" ]; do sleep 0.01; done; for i in $(seq 1 20000); do echo $i; done';
    await inFolder({}, async folder => {
      const flag = `${folder.path}/flag`;
      const spawnHook: BashToolOptions['spawnHook'] = context => ({ ...context, env: { ...context.env, FLAG: flag } });
      const running = call(tool({ spawnHook }), { command }, { onUpdate });
      await until(() => updates.includes('first\n'), 'the first partial output');
      folder.put('flag', '');
      const details = detailsOf(await running);
      assert.ok(takeFullOutput(details).endsWith('\n20000\n'));
    });
    const count = updates.length;
    assert.ok(count >= 1 && count < 100, `${count} updates`);
  });

  it('ends a command by its timeout, in seconds, with all it started', async () => {
    const seconds = sleeperSeconds();
    const failed = await failure(
      call(tool(), { command: `echo hi; sleep ${seconds} & sleep ${seconds}`, timeout: 0.3 }),
    );
    assert.equal(failed.message, 'hi\n\n\nCommand timed out after 0.3 seconds');
    assert.deepEqual(await processesWith(seconds), []);
  });

  it('ends a command on abort, with the output so far', async () => {
    const seconds = sleeperSeconds();
    const controller = new AbortController();
    const onUpdate = (): void => {
      controller.abort();
    };
    const command = `echo partial; trap '' TERM INT; setsid sleep ${seconds} & (trap '' TERM; sleep ${seconds}); sleep ${seconds}`;
    const failed = await failure(call(tool(), { command }, { signal: controller.signal, onUpdate }));
    assert.equal(failed.message, 'partial\n\n\nCommand aborted');
    assert.deepEqual(await processesWith(seconds), []);
    const early = await failure(call(tool(), { command: 'echo no' }, { signal: AbortSignal.abort() }));
    assert.equal(early.message, 'Command aborted');
  });

  it('does not wait for a background process that holds the output, and lets it live', async () => {
    const seconds = sleeperSeconds();
    const text = await textFrom(tool(), { command: `sleep ${seconds} & echo pid=$!; echo hi` });
    const [, pid] = /^pid=(\d+)\nhi\n$/.exec(text) ?? [];
    assert.ok(pid, text);
    assert.equal((await processesWith(`sleep ${seconds}`)).length, 1);
    process.kill(Number(pid));
    await until(async () => (await processesWith(`sleep ${seconds}`)).length === 0, 'the end of the sleeper');
  });

  it('gets all of the output that was written just before the end', async () => {
    for (let i = 0; i < 10; i++) {
      const text = await textFrom(tool(), { command: `sleep 3 & head -c 40000 /dev/zero | tr '\\0' y; kill %1` });
      assert.equal(text.length, 40_000);
    }
  });

  it('gets what a program prints that passes the output on, after the command has ended', async () => {
    const command = "ls /no/such/file 2> >(sleep 0.05; sed 's/^/> /')";
    let text = '';
    // A busy machine may start the program too late.
    for (let tries = 0; tries < 10 && !text.startsWith('> '); tries++) {
      text = (await failure(call(tool(), { command }))).message;
    }
    assert.match(text, /^> ls: .*\/no\/such\/file/);
  });

  describe('a command that is too long for an argument', () => {
    const { TMPDIR } = process.env;
    afterEach(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    });
    const text = 'ü'.repeat(300_000);
    const command = `printf %s '${text}' | wc -c; echo "$0"; cat; exit 3`;

    for (const [what, shellPath] of [
      ['bash', '/bin/bash'],
      ['sh', '/bin/sh'],
    ] as const) {
      it(`runs as a short one does, and leaves no file: ${what}`, () =>
        inFolder({ "it's a folder/x": '' }, async folder => {
          process.env['TMPDIR'] = `${folder.path}/it's a folder`;
          const options = { shellPath };
          const failed = await failure(call(createBashTool(folder.path, options), { command }));
          assert.equal(failed.message, `600000\n${shellPath}\n\n\nCommand exited with code 3`);
          assert.deepEqual(readdirSync(process.env['TMPDIR']), ['x']);
        }));
    }

    it('can be stopped', async () => {
      const seconds = sleeperSeconds();
      const failed = await failure(call(tool(), { command: `: ${text}; sleep ${seconds}`, timeout: 0.5 }));
      assert.match(failed.message, /timed out/);
      assert.deepEqual(await processesWith(seconds), []);
    });
  });

  it('names what is missing: the folder, the shell', async () => {
    const nowhere = createBashTool('/no/such/folder');
    await assert.rejects(call(nowhere, { command: 'true' }), {
      message: 'Working directory does not exist: /no/such/folder\nCannot execute bash commands.',
    });
    await assert.rejects(call(tool({ shellPath: '/no/such/shell' }), { command: 'true' }), {
      message: 'Custom shell path not found: /no/such/shell',
    });
  });

  it('takes a prefix, a spawn hook and another shell', async () => {
    assert.equal(await textFrom(tool({ commandPrefix: 'X=1' }), { command: 'echo $X' }), '1\n');
    const spawnHook: BashToolOptions['spawnHook'] = ({ command, env }) => ({
      command: `echo hooked; ${command}`,
      cwd: '/',
      env: { ...env, WHO: 'me' },
    });
    assert.equal(await textFrom(tool({ spawnHook }), { command: 'echo $WHO; pwd' }), 'hooked\nme\n/\n');
    assert.equal(await textFrom(tool({ shellPath: '/bin/sh' }), { command: 'echo $0' }), '/bin/sh\n');
  });

  describe('what a command is told of the conversation', () => {
    const command =
      'echo $PI_SESSION_ID,$PI_SESSION_FILE,$PI_PROVIDER,$PI_MODEL,$PI_REASONING_LEVEL,$AI_AGENT,$PI_CODING_AGENT';
    const context: ToolContext = {
      model: { provider: 'acme', id: 'm-1', input: ['text'] },
      thinkingLevel: 'high',
      sessionManager: { getSessionId: () => 'id-1', getSessionFile: () => '/s/1.jsonl' },
    };

    it('is session, model and level, known to a spawn hook, too', async () => {
      assert.equal(textOf(await call(tool(), { command }, { context })), 'id-1,/s/1.jsonl,acme,m-1,high,pi,true\n');
      const spawnHook: BashToolOptions['spawnHook'] = spawn => ({ ...spawn, command: `echo ${spawn.env['PI_MODEL']}` });
      assert.equal(textOf(await call(tool({ spawnHook }), { command }, { context })), 'm-1\n');
    });

    it('is nothing of what is not there or not to be told, nor of a session around this program', async () => {
      const unsaved = { sessionManager: { getSessionId: () => 'id-2', getSessionFile: () => undefined } };
      process.env['PI_SESSION_FILE'] = '/outer.jsonl';
      try {
        assert.equal(textOf(await call(tool(), { command }, { context: unsaved })), 'id-2,,,,,pi,true\n');
        assert.equal(textOf(await call(tool(), { command })), ',,,,,pi,true\n');
        const silent = tool({ exposeSessionEnvironment: false });
        assert.equal(textOf(await call(silent, { command }, { context })), ',,,,,pi,true\n');
      } finally {
        delete process.env['PI_SESSION_FILE'];
      }
    });
  });

  it('refuses times that are none', async () => {
    for (const timeout of [0, -1]) {
      await assert.rejects(call(tool(), { command: 'true', timeout }), {
        message: 'Invalid timeout: must be a finite number of seconds',
      });
    }
    await assert.rejects(call(tool(), { command: 'true', timeout: 1e9 }), {
      message: 'Invalid timeout: maximum is 2147483.647 seconds',
    });
  });

  describe('operations of a hook', () => {
    it('send data, end with a code, reject with "aborted" or "timeout:N"', async () => {
      const seen: unknown[] = [];
      const operations = {
        exec: (command: string, cwd: string, options: { onData: (data: Buffer) => void; timeout?: number }) => {
          seen.push(command, cwd, options.timeout);
          options.onData(Buffer.from('remote\n'));
          if (command === 'abort') return Promise.reject(new Error('aborted'));
          if (command === 'late') return Promise.reject(new Error('timeout:7'));
          if (command === 'broken') return Promise.reject(new Error('no connection'));
          return Promise.resolve({ exitCode: command === 'fail' ? 4 : null });
        },
      };
      const remote = createBashTool('/remote', { operations });
      assert.equal(await textFrom(remote, { command: 'x', timeout: 7 }), 'remote\n');
      assert.deepEqual(seen, ['x', '/remote', 7]);
      assert.equal(
        (await failure(call(remote, { command: 'fail' }))).message,
        'remote\n\n\nCommand exited with code 4',
      );
      assert.equal((await failure(call(remote, { command: 'abort' }))).message, 'remote\n\n\nCommand aborted');
      assert.equal(
        (await failure(call(remote, { command: 'late' }))).message,
        'remote\n\n\nCommand timed out after 7 seconds',
      );
      await assert.rejects(call(remote, { command: 'broken' }), { message: 'no connection' });
    });

    it('may be called execute and return the output', async () => {
      const operations = { execute: (command: string) => Promise.resolve({ stdout: `ran ${command}`, code: 0 }) };
      assert.equal(await textFrom(tool({ operations }), { command: 'x' }), 'ran x');
      const plain = { execute: () => 'plain' };
      assert.equal(await textFrom(tool({ operations: plain }), { command: 'x' }), 'plain');
    });

    it('cannot hold up an abort', async () => {
      const controller = new AbortController();
      const operations = { exec: () => new Promise<{ exitCode: number }>(() => undefined) };
      const running = call(tool({ operations }), { command: 'x' }, { signal: controller.signal });
      controller.abort();
      assert.equal((await failure(running)).message, 'Command aborted');
    });
  });

  it("serves the user's own commands too", async () => {
    const outcome = await executeBash({ command: 'echo x; exit 5', cwd: tmpdir() });
    assert.deepEqual(outcome, { end: { kind: 'exited', exitCode: 5 }, output: 'x\n', details: undefined });
  });

  it('leaves no file behind for output that is shown whole', async () => {
    const noise = await call(tool(), { command: `head -c 60000 /dev/zero; echo end` });
    assert.equal(textOf(noise), 'end\n');
    assert.equal(noise.details, undefined);
    assert.ok(!existsSync('undefined'));
  });
});
