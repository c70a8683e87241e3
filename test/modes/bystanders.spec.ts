import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AmongBystanders } from '../support/bystanders';
import { MCP_SERVER } from '../support/scripted-mcp';
import type { ScriptedLlm } from '../support/scripted-llm';
import { sleeperSeconds } from '../agent/tools/fixture';
import { until, type CliPlace } from './support/cli';
import { eachWithModel } from './support/each-with-model';

/** What a host starts; each has a `sleep` of its own number of seconds below a shell. */
const CHILDREN = [
  'hook',
  'detached by a hook',
  'let go and taken back',
  'exec of a hook',
  'tool',
  'MCP server',
] as const;
type Child = (typeof CHILDREN)[number];
const OF_HOOK = ['hook', 'detached by a hook', 'let go and taken back'] as const;

/** What a hook detached and does not wait for is a bystander, with what it starts. */
const LET_GO = 'let go by a hook';

type Sleepers = Readonly<Record<Child | typeof LET_GO, string>>;

/** A way in which children end. */
interface Way {
  readonly act: (host: Host) => Promise<unknown>;
  /** The code of the host, which ends; absent: it goes on. */
  readonly code?: number;
  /** What goes on after it. */
  readonly living?: readonly Child[];
  /** What is not started for it. */
  readonly without?: readonly Child[];
  /** What the hook does with `pi` in addition. */
  readonly hook?: string;
  readonly args?: readonly string[];
}

const signal = (name: NodeJS.Signals, code: number): Way => ({ code, act: host => host.among.signal(name) });
const twice = (pauseMs: number): Way => ({
  code: 130,
  act: async ({ among }) => {
    await among.signal('SIGINT');
    await delay(pauseMs);
    await among.signal('SIGINT');
  },
});

const WAYS: Readonly<Record<string, Way>> = {
  'a normal end': {
    code: 0,
    args: ['-p', 'go'],
    without: ['tool'],
    act: host => host.letModelAnswer(),
  },
  'Ctrl+C': signal('SIGINT', 130),
  'Ctrl+C twice': twice(0),
  'Ctrl+C twice with 0.1 s between': twice(100),
  'Ctrl+C twice with 0.7 s between': twice(700),
  SIGTERM: signal('SIGTERM', 143),
  SIGHUP: signal('SIGHUP', 129),
  'the end of stdin': { code: 0, act: host => host.endInput() },
  'the end of stdin and SIGTERM': {
    code: 0,
    act: async host => {
      await host.endInput();
      await host.among.signal('SIGTERM');
    },
  },
  'the limit of shutdown': {
    ...signal('SIGTERM', 143),
    hook: `pi.on('session_shutdown', () => new Promise(() => {}));`,
  },
  'an abort of the tool': {
    act: host => host.post({ type: 'abort' }),
    living: [...OF_HOOK, 'exec of a hook', 'MCP server'],
  },
  'the timeout of an exec': {
    act: host => host.late(),
    living: [...OF_HOOK, 'tool', 'MCP server'],
    without: ['exec of a hook'],
  },
  'a hot reload': {
    act: host => host.post({ type: 'prompt', message: '/again' }),
    living: ['MCP server'],
    without: ['tool'],
  },
};

/** A shell with a `sleep` below it. */
const shellWith = (seconds: string, isDeaf: boolean): string => `${isDeaf ? "trap '' TERM; " : ''}sleep ${seconds}; :`;

/** A host in RPC or print mode that has started all children of a way. */
class Host {
  constructor(
    readonly among: AmongBystanders,
    private readonly place: CliPlace,
    private readonly hold: Held | undefined,
  ) {}

  post(message: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.among.stdin.write(`${JSON.stringify(message)}\n`, error => (error ? reject(error) : resolve()));
    });
  }

  endInput(): Promise<void> {
    return new Promise(resolve => this.among.stdin.end(resolve));
  }

  letModelAnswer(): Promise<void> {
    this.hold?.release();
    return Promise.resolve();
  }

  /** The command's exec has a timeout. */
  async late(): Promise<void> {
    await this.post({ type: 'prompt', message: '/late' });
    await until(() => existsSync(join(this.place.cwd, 'late')), 'the exec to begin');
  }
}

type Held = ReturnType<ScriptedLlm['hold']>;

// Elsewhere there is no /proc, in which its processes are looked up.
(process.platform === 'linux' ? describe : describe.skip)('what a host ends, and what it must not end', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  let among: AmongBystanders;
  afterEach(() => among.close());

  async function started(way: Way, isDeaf: boolean, isNamespace: boolean): Promise<{ host: Host; sleepers: Sleepers }> {
    const sleepers = Object.fromEntries([...CHILDREN, LET_GO].map(name => [name, sleeperSeconds()])) as Sleepers;
    const shell = (child: keyof Sleepers): string => shellWith(sleepers[child], isDeaf);
    place.file('work/.pi/extensions/h.ts', hookText(way, shell));
    const server = `${isDeaf ? "trap '' TERM; " : ''}sleep ${sleepers['MCP server']} & "$@"; wait`;
    const scenario = JSON.stringify({ name: sleepers['MCP server'] });
    const mcp = {
      command: 'sh',
      args: ['-c', server, 'sh', process.execPath, MCP_SERVER, scenario],
      exposure: 'direct',
    };
    place.file('agent/mcp.json', JSON.stringify({ mcpServers: { kept: mcp } }));
    const { without = [], args = ['--mode', 'rpc'] } = way;
    const isPrint = args[0] === '-p';
    const hold = isPrint ? llm.hold({ text: 'done' }) : undefined;
    if (!without.includes('tool')) llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: shell('tool') } }] });
    llm.otherwise(() => ({ text: 'done' }));

    among = await AmongBystanders.open(Object.values(sleepers), isNamespace);
    among.stdout.resume();
    among.stderr.resume();
    await startHost(args);
    const host = new Host(among, place, hold);
    if (isPrint) await host.endInput();
    else await host.post({ type: 'prompt', message: 'go' });
    const expected = CHILDREN.filter(child => !without.includes(child)).map(child => sleepers[child]);
    await until(async () => (await among.alive(expected)).length === expected.length, 'all children');
    await among.addYounger();
    return { host, sleepers };
  }

  function startHost(args: readonly string[]): Promise<void> {
    const { cliPath, cwd, env } = place;
    return among.start({ file: process.execPath, args: [cliPath, ...args], cwd, env }, cliPath);
  }

  function hookText({ without = [], hook = '' }: Way, shell: (child: keyof Sleepers) => string): string {
    const args = (child: keyof Sleepers): string => JSON.stringify(['-c', shell(child)]);
    const exec = without.includes('exec of a hook') ? '' : `void pi.exec('sh', ${args('exec of a hook')});`;
    return `import { spawn } from 'node:child_process';
      export default pi => {
        ${hook}
        pi.on('session_start', event => {
          if (event.reason === 'reload') return;
          spawn('sh', ${args('hook')}, { stdio: 'ignore' });
          spawn('sh', ${args('detached by a hook')}, { stdio: 'ignore', detached: true });
          const back = spawn('sh', ${args('let go and taken back')}, { stdio: 'ignore', detached: true });
          back.unref();
          back.ref();
          spawn('sh', ${args(LET_GO)}, { stdio: 'ignore', detached: true }).unref();
          ${exec}
        });
        pi.registerCommand('again', { handler: (_, ctx) => ctx.reload() });
        pi.registerCommand('late', { handler: () =>
          pi.exec('sh', ['-c', ${JSON.stringify(`touch late; ${shell('exec of a hook')}`)}], { timeout: 300 }) });
      };\n`;
  }

  async function assertEnded(way: Way, sleepers: Sleepers): Promise<void> {
    if (way.code !== undefined) assert.deepEqual(await among.ended, { code: way.code, signal: null });
    const { living = [], without = [] } = way;
    const promised = CHILDREN.filter(child => !living.includes(child));
    await until(
      async () => (await among.alive(promised.map(child => sleepers[child]))).length === 0,
      `${promised.join(', ')} to end`,
    );
    await among.assertBystandersLive();
    const left = [...living.filter(child => !without.includes(child)), LET_GO] as const;
    assert.deepEqual(
      await among.alive(left.map(child => sleepers[child])),
      left.map(child => sleepers[child]),
    );
  }

  for (const [name, way] of Object.entries(WAYS)) {
    for (const isDeaf of [false, true]) {
      it(`${name} ends children${isDeaf ? ' that ignore SIGTERM' : ''}, and no bystander`, async () => {
        const { host, sleepers } = await started(way, isDeaf, true);
        await way.act(host);
        await assertEnded(way, sleepers);
      });
    }
  }

  it('a host that is killed leaves its children, and ends no bystander', async () => {
    const { host, sleepers } = await started({ act: () => Promise.resolve() }, false, true);
    await host.among.signal('SIGKILL');
    assert.deepEqual(await among.ended, { code: null, signal: 'SIGKILL' });
    const all = Object.values(sleepers);
    assert.deepEqual(await among.alive(all), all);
    await among.assertBystandersLive();
  });

  it('a host that ends leaves what bash left in the background on purpose', async () => {
    const left = sleeperSeconds();
    const command = `sleep ${left} > /dev/null 2>&1 &`;
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] });
    llm.reply({ text: 'done' });
    among = await AmongBystanders.open([left]);
    among.stdout.resume();
    among.stderr.resume();
    among.stdin.end();
    await startHost(['-p', 'go']);
    assert.deepEqual(await among.ended, { code: 0, signal: null });
    assert.deepEqual(await among.alive([left]), [left]);
    await among.assertBystandersLive();
  });

  // Where no PID namespace can be made, all tests of this file run like this.
  for (const name of ['Ctrl+C', 'Ctrl+C twice', 'an abort of the tool'] as const) {
    it(`${name} sends signals to children only`, async () => {
      const way = WAYS[name]!;
      const { host, sleepers } = await started(way, true, false);
      await way.act(host);
      await assertEnded(way, sleepers);
      assert.ok(among.isSafe);
    });
  }
});
