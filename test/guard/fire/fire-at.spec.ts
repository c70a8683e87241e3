import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fireAt, type FireResult } from '../../../src/guard/fire/fire-at';
import { until } from '../../modes/support/cli';
import { isAlive } from '../../../scripts/support/processes.ts';

/** An agent that asks the model once, does what `act` says with the order of the host, and reports the result. */
const AGENT = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
const ask = async messages => {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', tools: [{ name: 'Bash' }], messages }),
  });
  return (await response.json()).content[0];
};
const report = content => ask([{ role: 'user', content: [{ type: 'tool_result', content }] }]);
writeFileSync(process.env.SEEN, JSON.stringify({ cwd: process.cwd(), args: process.argv, env: process.env }));
const acts = {
  async obeys() {
    const { input } = await ask([]);
    writeFileSync(process.env.SEEN + '.command', input.command);
    await report(readFileSync(process.env.ORDER, 'utf8'));
  },
  async runs() {
    const { input } = await ask([]);
    mkdirSync(input.command.replace('mkdir ', ''));
    await report(readFileSync(process.env.ORDER, 'utf8'));
  },
  async refuses() {
    await ask([]);
    await report('This command requires approval');
  },
  async fails() {
    console.error('no such option');
    process.exit(3);
  },
  async leaves() {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    writeFileSync(process.env.SEEN + '.pid', String(child.pid));
    child.unref();
    await acts.obeys();
  },
  async hangs() {
    await acts.leaves();
    writeFileSync(process.env.SEEN + '.hangs', '');
    setInterval(() => {}, 1000);
  },
};
await acts[process.env.ACT]();
`;

describe('a check that runs an agent', () => {
  let root: string;
  let orders: { readonly folder: string; readonly isOver: () => boolean }[];
  const seenAt = (): string => join(root, 'seen');

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-'));
    orders = [];
    writeFileSync(join(root, 'agent.mjs'), AGENT);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const fire = (act: string, options: { readonly signal?: AbortSignal } = {}): Promise<FireResult> => {
    const order = join(root, 'order');
    return fireAt('claude', {
      program: { command: process.execPath, args: [join(root, 'agent.mjs')] },
      env: { PATH: process.env['PATH'], ACT: act, SEEN: seenAt(), ORDER: order },
      denyIn: (folder, reason) => {
        writeFileSync(order, reason);
        let isOver = false;
        orders.push({ folder, isOver: () => isOver });
        return Promise.resolve({ end: () => (isOver = true) });
      },
      ...options,
    });
  };
  const seen = (): { readonly cwd: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } =>
    JSON.parse(readFileSync(seenAt(), 'utf8')) as ReturnType<typeof seen>;

  it('says blocked when the command was not run and the reason reached the model', async () => {
    const { verdict, reason } = await fire('obeys');
    assert.equal(verdict, 'blocked', reason);
    assert.equal(readFileSync(`${seenAt()}.command`, 'utf8'), 'mkdir ran');
  });

  it('says ran when the command was run, also when the model was told otherwise', async () => {
    assert.equal((await fire('runs')).verdict, 'ran');
  });

  it('says unknown when the agent refused the command for a reason of its own, with this reason', async () => {
    const { verdict, reason } = await fire('refuses');
    assert.equal(verdict, 'unknown');
    assert.match(reason, /This command requires approval/);
  });

  it('says unknown when the agent ended without asking, with what it printed', async () => {
    const { verdict, reason } = await fire('fails');
    assert.equal(verdict, 'unknown');
    assert.match(reason, /did not ask the model and ended with exit code 3\. It printed: no such option/);
  });

  it('says unknown when there is no such program', async () => {
    const missing = join(root, 'missing');
    const denyIn = (): Promise<{ end(): void }> => Promise.resolve({ end: () => undefined });
    const { verdict, reason } = await fireAt('codex', { program: { command: missing }, env: {}, denyIn });
    assert.equal(verdict, 'unknown');
    assert.match(reason, /could not be started: .*missing/);
  });

  it('does not start the agent when the host takes no order', async () => {
    const denyIn = (): Promise<never> => Promise.reject(new Error('no host runs'));
    const program = { command: process.execPath, args: [join(root, 'agent.mjs')] };
    await assert.rejects(fireAt('claude', { program, env: { SEEN: seenAt() }, denyIn }), /no host runs/);
    assert.ok(!existsSync(seenAt()));
  });

  it('gives the agent an empty folder that is gone afterwards, no key and no way to another network', async () => {
    await fire('obeys');
    const { cwd, args, env } = seen();
    assert.ok(!existsSync(cwd), cwd);
    assert.deepEqual(
      orders.map(({ folder, isOver }) => [folder, isOver()]),
      [[cwd, true]],
    );
    assert.ok(args.includes('--no-session-persistence'));
    assert.equal(env['ANTHROPIC_API_KEY'], 'none');
    assert.match(env['ANTHROPIC_BASE_URL'] ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(env['HTTPS_PROXY'], 'http://127.0.0.1:9');
  });

  it('ends what the agent left running, and nothing else', async () => {
    await fire('leaves');
    assert.ok(!(await isAlive(Number(readFileSync(`${seenAt()}.pid`, 'utf8')))));
    assert.ok(await isAlive(process.pid));
  });

  it('ends an agent that hangs when it is told to, with what it started', async () => {
    const stop = new AbortController();
    const fired = fire('hangs', { signal: stop.signal });
    await until(() => existsSync(`${seenAt()}.hangs`), 'the agent to hang');
    stop.abort();
    assert.equal((await fired).verdict, 'blocked');
    assert.ok(!(await isAlive(Number(readFileSync(`${seenAt()}.pid`, 'utf8')))));
  });
});
