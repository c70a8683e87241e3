import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { withinCall } from '../../../src/hook-run/api/tools/running-call';
import type { ChildCall } from '../../../src/hook-run/host/child-call';
import type { AskedCall } from '../../../src/hook-contract/approvals/asked-call';
import type { CallState, GateAnswer } from '../../../src/gate/approval-settings';
import type { RunningFile } from '../../../src/hook-load/files/hook-slot';
import { PARENT_VARIABLE, type ParentInfo } from '../../../src/startup/parent/messages';
import { ParentLink } from '../../../src/startup/parent/parent-link';
import { ParentServer } from '../../../src/startup/parent/parent-server';
import { rememberEnvironment } from '../../support/environment';

describe('an agent and the process whose hook started it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parent-'));
  const gate = runningFile('gate.ts', true);
  const other = runningFile('other.ts', false);
  const named = { ...runningFile('named.ts', false), origin: 'settings' } as const;
  const facts: { -readonly [K in keyof ParentInfo]: ParentInfo[K] } = {
    cwd: '/work',
    hooks: [gate, other, named],
    dialects: { '/a.ts': 'v1' },
    disabled: ['/off.ts'],
  };
  const answer: GateAnswer = {
    block: true,
    reason: 'The user did not allow this call.',
    approvalReason: { by: 'person' },
  };
  const asked: { from: unknown; call: AskedCall; state: CallState; signal: AbortSignal }[] = [];
  const decide = (): Promise<GateAnswer> => Promise.resolve(answer);
  const server = new ParentServer({
    facts: () => facts,
    typedKey: provider => Promise.resolve(provider === 'anthropic' ? 'typed-key' : undefined),
    decide: (from, call, state, signal) => {
      asked.push({ from, call, state, signal });
      return call.toolName === 'hangs' ? new Promise(() => undefined) : Promise.resolve(answer);
    },
    log: silentLog,
  });

  after(() => server.dispose());

  function runningFile(name: string, isGate: boolean): RunningFile {
    const path = join(folder, name);
    writeFileSync(path, name);
    const hash = createHash('sha256').update(name).digest('hex');
    return { path, group: 'hooks', origin: 'explicit', isGate, sources: [{ path, hash }] };
  }

  async function link(isPi = true): Promise<ParentLink> {
    const env: NodeJS.ProcessEnv = { ...server.variables(isPi) };
    const found = (await ParentLink.open(env)) ?? assert.fail();
    assert.deepEqual(env, {}, 'nothing that the model runs finds the way');
    return found;
  }

  const paths = async (found: ParentLink, cwd: string, search: boolean): Promise<readonly string[]> =>
    (await found.hooksFor(cwd, search)).map(({ path }) => path);

  it('is told the hooks, the choices of a person and typed keys', async () => {
    const found = await link();
    assert.deepEqual(found.facts, facts);
    assert.deepEqual(await Promise.all([found.get('anthropic'), found.get('openai')]), ['typed-key', undefined]);
  });

  it('is the same agent in each of its folders', async () => {
    const env: NodeJS.ProcessEnv = { ...server.variables(true) };
    const found = await ParentLink.open(env);
    assert.ok(found !== undefined);
    assert.equal(await ParentLink.open(env), found);
  });

  it('tells no key to a program that is not the command line itself', async () => {
    const found = await link(false);
    assert.deepEqual(found.facts, facts);
    assert.equal(await found.get('anthropic'), undefined);
    assert.equal(await found.get('anthropic'), undefined);
  });

  it('takes over what settings name in the same folder, and the gates whatever the flags and the folder are', async () => {
    const found = await link();
    assert.deepEqual(await paths(found, '/work', true), [gate.path, named.path]);
    assert.deepEqual(await paths(found, '/work', false), [gate.path]);
    assert.deepEqual(await paths(found, '/elsewhere', true), [gate.path]);
  });

  it('knows the folder also by the real path, which the process above opened by a link', async () => {
    const found = await link();
    const [own, linked] = [join(folder, 'own'), join(folder, 'linked')];
    mkdirSync(own);
    symlinkSync(own, linked, 'junction');
    facts.cwd = linked;
    try {
      assert.deepEqual(await paths(await link(), realpathSync(own), true), [gate.path, named.path]);
      assert.deepEqual(await paths(found, realpathSync(own), true), [gate.path], 'it was told another folder');
    } finally {
      facts.cwd = '/work';
    }
  });

  it('does not start with a gate that is not what guards above', async () => {
    const found = await link();
    writeFileSync(gate.path, 'nothing is asked any more');
    await assert.rejects(found.hooksFor('/work', true), /gate\.ts was changed after it was loaded in the process/);
    writeFileSync(gate.path, 'gate.ts');
  });

  it('does not start without the process above, or when that does not know it', async () => {
    const gone = { [PARENT_VARIABLE]: JSON.stringify({ address: join(folder, 'no.sock'), token: 'token' }) };
    await assert.rejects(ParentLink.open(gone), /has ended, so its hooks cannot check this call/);
    const { address } = JSON.parse(server.variables(true)[PARENT_VARIABLE] ?? '') as { address: string };
    const unknown = { [PARENT_VARIABLE]: JSON.stringify({ address, token: 'guessed' }) };
    await assert.rejects(ParentLink.open(unknown), /has ended/);
    assert.equal(await ParentLink.open({}), undefined);
    await assert.rejects(ParentLink.open(gone), /has ended/, 'nor for another folder');
  });

  /** Connects as a program does that found the variables, and gives the first line that comes. */
  async function connected(variables: Readonly<Record<string, string>>): Promise<{ line: string; socket: Socket }> {
    const { address, token } = JSON.parse(variables[PARENT_VARIABLE] ?? '') as { address: string; token: string };
    const socket = createConnection(address);
    socket.write(`${JSON.stringify({ token })}\n`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    return { line: data.toString(), socket };
  }

  it('lets nobody else connect with its token while it runs, and later only without keys', async () => {
    for (const isPi of [true, false]) {
      const variables = server.variables(isPi);
      const first = await connected(variables);
      assert.match(first.line, /"hooks":/);
      await assert.rejects(ParentLink.open({ ...variables }), /Another agent uses the connection/);
      first.socket.destroy();
      let later = await connected(variables);
      // The other side notices the end of the first a little later.
      while (!isPi && later.line.includes('inUse')) later = await connected(variables);
      assert.match(later.line, isPi ? /"refused":"inUse"/ : /"hooks":/);
      later.socket.destroy();
    }
  });

  for (const [what, change] of [
    [
      'rights',
      (token: string) => token.replace(/\.[^.]+\./, `.${Buffer.from('{"keys":true}').toString('base64url')}.`),
    ],
    ['id', (token: string) => `0${token}`],
    ['signature', (token: string) => token.slice(0, -1)],
    ['parts', () => '..'],
  ] as const) {
    it(`lets nobody connect with a token that has other ${what}`, async () => {
      const way = JSON.parse(server.variables(false)[PARENT_VARIABLE] ?? '') as { address: string; token: string };
      const changed = { [PARENT_VARIABLE]: JSON.stringify({ ...way, token: change(way.token) }) };
      await assert.rejects(ParentLink.open(changed), /has ended/);
    });
  }

  it('tells its tool calls to the card of the call that started it', async () => {
    const told: ChildCall[] = [];
    const subscription = server.onDidCall(call => told.push(call));
    const call = { conversation: 'c', toolCallId: 'call_1' };
    const started = await withinCall(call, () => link(false));
    const outside = await link(false);
    const start = { step: 'start', id: 'x', name: 'bash', args: { command: 'ls' } } as const;
    outside.reportStep(start);
    await outside.get('nobody');
    started.reportStep(start);
    started.reportStep({ step: 'end', id: 'x', name: 'bash', isError: true, error: 'no', durationMs: 3 });
    await started.get('nobody'); // Everything before has come.
    subscription.dispose();
    assert.deepEqual(
      told.map(({ conversation, parentToolCallId, step }) => [conversation, parentToolCallId, step.step]),
      [
        ['c', 'call_1', 'start'],
        ['c', 'call_1', 'end'],
      ],
    );
    assert.match(told[0]?.step.id ?? '', /^call_1\/\d+\.x$/);
    assert.equal(told[0]?.step.id, told[1]?.step.id);
  });

  it('is reached where the path of the temporary folder is too long for a socket', async function () {
    if (process.platform === 'win32') this.skip(); // Pipes have names there, not paths.
    const restore = rememberEnvironment();
    process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), `${'x'.repeat(90)}-`));
    const far = new ParentServer({
      facts: () => facts,
      typedKey: () => Promise.resolve(undefined),
      decide,
      log: silentLog,
    });
    try {
      const found = await ParentLink.open({ ...far.variables(true) });
      assert.deepEqual(found?.facts, facts);
    } finally {
      far.dispose();
      restore();
    }
  });

  it('is told what the process above makes of its calls', async () => {
    const found = await withinCall({ conversation: 'chat-1', toolCallId: 'call_1' }, () => link());
    const call: AskedCall = { toolName: 'bash', kind: 'executes', input: { command: 'rm -rf x' }, cwd: '/work/tree' };
    const state = { wasAsked: false, hasHooks: true };
    assert.deepEqual(await found.decide(call, state, undefined), answer);
    const last = asked.at(-1);
    assert.deepEqual(
      { from: last?.from, call: last?.call, state: last?.state },
      { from: { conversation: 'chat-1', toolCallId: 'call_1' }, call, state },
    );
  });

  it('may not run a call while nobody above can decide', async () => {
    const own = new ParentServer({
      facts: () => facts,
      typedKey: () => Promise.resolve(undefined),
      decide: () => new Promise(() => undefined),
      log: silentLog,
    });
    const found = (await ParentLink.open({ ...own.variables(true) })) ?? assert.fail();
    const call: AskedCall = { toolName: 'bash', kind: 'executes', input: {}, cwd: '/work' };
    const waiting = found.decide(call, { wasAsked: false, hasHooks: false }, undefined);
    own.dispose();
    assert.match((await waiting).reason ?? '', /has ended/);
    const late = await found.decide(call, { wasAsked: false, hasHooks: false }, undefined);
    assert.equal(late.block, true);
    const ended = new AbortController();
    const other = await link();
    const given = other.decide({ ...call, toolName: 'hangs' }, { wasAsked: false, hasHooks: false }, ended.signal);
    ended.abort();
    assert.equal((await given).block, true, 'a call that is stopped does not run');
  });

  it('lets other programs start where no socket can be opened, and no agent', async () => {
    const restoreEnvironment = rememberEnvironment();
    const logged: string[] = [];
    const log = { ...silentLog, error: (text: string) => logged.push(text) };
    const own = new ParentServer({ facts: () => facts, typedKey: () => Promise.resolve(undefined), decide, log });
    for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = join(parse(process.execPath).root, 'no-folder');
    try {
      await assert.rejects(ParentLink.open({ ...own.variables(true) }), /has ended/);
      assert.match(logged[0] ?? '', /Agents that hooks start cannot reach this process/);
    } finally {
      restoreEnvironment();
      own.dispose();
    }
  });

  it('leaves nothing on disk', () => {
    const typedKey = (): Promise<undefined> => Promise.resolve(undefined);
    const own = new ParentServer({ facts: () => facts, typedKey, decide, log: silentLog });
    const { address } = JSON.parse(own.variables(true)[PARENT_VARIABLE] ?? '') as { address: string };
    assert.ok(existsSync(dirname(address)));
    own.dispose();
    assert.ok(!existsSync(dirname(address)));
  });
});
