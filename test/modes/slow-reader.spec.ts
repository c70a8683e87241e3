import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { ended, until } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { itOnLinux } from '../support/platform';

const DELTAS = 20_000;
/** A cumulative copy for each update would be 4 GB. */
const LIMIT_MB = 700;
const ENOUGH_BYTES = 100 * 1024 * 1024;

describe('a slow reader of stdout', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  it('gets all that a command without a conversation prints', async () => {
    const servers = Array.from({ length: 1000 }, (_, index) => {
      return [`server-${index}`, { url: `http://127.0.0.1:1/${'x'.repeat(2000)}`, enabled: false }] as const;
    });
    place.file('agent/mcp.json', JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
    const { code, stdout } = await place.run(['mcp', 'list']);
    assert.equal(code, 0);
    assert.match(stdout, /^server-999: .*\n.*x\n$/m);
  });

  for (const [code, args] of [
    [0, ['mcp', 'list']],
    [0, ['list']],
    [0, ['hooks', 'diff']],
    [0, ['--help']],
    [1, ['-p', 'go']],
    [1, ['--mode', 'json', 'go']],
    [0, ['--list-models']],
  ] as const) {
    it(`may go before ${args.join(' ')} has printed all, which then ends with ${code}`, async () => {
      place.file(
        'agent/mcp.json',
        JSON.stringify({ mcpServers: { off: { url: 'http://127.0.0.1:1', enabled: false } } }),
      );
      llm.reply({ text: 'done' });
      const child = place.start(args);
      child.stdin.end();
      child.stdout.destroy();
      const ending = await ended(child);
      assert.deepEqual([ending.code, ending.stderr], [code, '']);
    });
  }

  it('does not keep a process that a signal ends', async () => {
    llm.reply({ text: Array.from({ length: DELTAS }, (_, index) => `word${index} `) });
    const child = place.start(['--mode', 'json', 'go']);
    child.stdin.end();
    await until(() => llm.requests.length > 0, 'the request');
    assert.equal(await llm.requests[0]?.closed, false);
    const exit = once(child, 'exit'); // Nobody reads, also after the signal.
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [143, null]);
  });

  it('gets all answers if it is a client that closed its end and reads on slowly', async () => {
    llm.reply({ text: 'done' });
    const child = place.start(['--mode', 'rpc']);
    const message = 'x'.repeat(1_000_000);
    const commands = [{ type: 'prompt', message }, ...Array.from({ length: 4 }, () => ({ type: 'get_messages' }))];
    let got = '';
    let isSlow = false;
    const read = (): void => {
      const chunk = ((isSlow ? child.stdout.read(65_536) : undefined) ?? child.stdout.read()) as Buffer | null;
      got += chunk === null ? '' : chunk.toString();
    };
    const reading = setInterval(read, 100);
    child.stdin.write(`${JSON.stringify(commands[0])}\n`);
    await until(() => llm.requests.length > 0, 'the request');
    isSlow = true;
    child.stdin.end(
      commands
        .slice(1)
        .map(command => `${JSON.stringify(command)}\n`)
        .join(''),
    );
    const exit = once(child, 'exit');
    const [code] = (await exit) as [number | null];
    clearInterval(reading);
    isSlow = false;
    read();
    assert.deepEqual([code, got.match(/"command":"get_messages"/g)?.length], [0, 4]);
  });

  it('keeps no process if it is a client that closed its end and reads nothing', async () => {
    const child = place.start(['--mode', 'rpc']);
    const said: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)));
    const exit = once(child, 'exit');
    child.stdin.end(`${JSON.stringify({ id: 'x'.repeat(200), type: 'get_state' })}\n`.repeat(2_000));
    assert.deepEqual(await exit, [1, null]);
    assert.match(said.join(''), /the output could not be written: nobody reads it/);
  });

  for (const version of ['1.5', '0.73']) {
    itOnLinux(`holds up the run, whose updates do not pile up (${version})`, async () => {
      llm.reply({ text: Array.from({ length: DELTAS }, (_, index) => `word${index} `) });
      const child = place.start(['--mode', 'json', '--rpc-version', version, 'go']);
      child.stdin.end();
      await until(() => llm.requests.length > 0, 'the request');
      assert.equal(await llm.requests[0]?.closed, false, 'the whole answer has arrived while nobody reads');
      const peaks: number[] = [];
      let bytes = 0;
      const take = (chunk: Buffer | string): void => {
        bytes += chunk.length;
        peaks.push(peakOf(child.pid) ?? 0);
        // The older protocol writes gigabytes; its first part is enough to see that the rest waits.
        if (bytes > ENOUGH_BYTES) child.kill('SIGKILL');
      };
      child.stdout.on('data', take);
      const { code, stdout } = await ended(child);
      assert.ok(Math.max(...peaks) < LIMIT_MB * 1024, `${Math.max(...peaks)} kB`);
      if (version === '0.73') return;
      assert.equal(code, 0);
      assert.equal(stdout.match(/"type":"text_delta"/g)?.length, DELTAS);
    });
  }
});

/** The most memory a process had so far, in kB; undefined when it has ended. */
function peakOf(pid: number | undefined): number | undefined {
  const file = `/proc/${String(pid)}/status`;
  const found = existsSync(file) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
