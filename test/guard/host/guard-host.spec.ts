import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { AGENT_IDS } from '../../../src/guard/protocol/agent-call';
import { readEndpoint, writeEndpoint } from '../../../src/guard/protocol/endpoint';
import { rounds } from '../../support/long-run';
import { refusalIn, runClient } from '../support';
import { call, FakeFront, REPLY, Rig } from './host-rig';

describe('the host of the guard', () => {
  let rig: Rig;
  beforeEach(async () => (rig = await Rig.start()));
  afterEach(() => rig.host.end());

  it('answers 100 clients at once, and loads their folder once', async () => {
    const runs = await Promise.all(Array.from({ length: 100 }, () => runClient(rig.place, call())));
    assert.deepEqual(new Set(runs.map(({ stdout }) => stdout)), new Set([`${REPLY.output}\n`]));
    assert.equal(rig.opened.length, 1);
  });

  it('is the only one of its user, even when two start at once', async () => {
    await rig.host.end();
    assert.equal(existsSync(rig.place.endpoint), false);
    const hosts = await Promise.all([rig.another(), rig.another()]);
    const running = hosts.filter(host => host !== undefined);
    assert.equal(running.length, 1);
    assert.equal((await runClient(rig.place, call())).stdout, `${REPLY.output}\n`);
    await running[0]!.end();
    assert.equal(existsSync(rig.place.endpoint), false);
  });

  it('leaves nothing open when another one takes its place while it starts', async () => {
    await rig.host.end();
    const open = (): readonly string[] => process.getActiveResourcesInfo().filter(name => /Server|Pipe/.test(name));
    const before = open();
    for (let round = rounds(20, 300); round > 0; round -= 1) {
      const hosts = await Promise.all([rig.another(), rig.another(), rig.another()]);
      const running = hosts.filter(host => host !== undefined);
      assert.ok(running.length > 0);
      await Promise.all(running.map(host => host.end()));
      assert.equal(existsSync(rig.place.endpoint), false);
    }
    assert.deepEqual(open(), before);
  });

  it('puts its endpoint back when an agent leads clients to a host of its own', async () => {
    await runClient(rig.place, call());
    const watcher = await FakeFront.connect(rig.place, 'watch');
    await watcher.next('welcome');
    const own = readEndpoint(rig.place)!;
    const secret = 'f'.repeat(64);
    await writeEndpoint(rig.place, { ...own, port: 9, client: secret, host: secret });
    const { record } = await watcher.next('record');
    assert.deepEqual(readEndpoint(rig.place), own);
    assert.deepEqual([record.verdict, record.undone], ['blocked', rig.place.endpoint]);
    rmSync(rig.place.endpoint);
    await watcher.next('record');
    assert.deepEqual(readEndpoint(rig.place), own);
    watcher.socket.destroy();
  });

  it('keeps a line for the log that a window sends besides its replies', async () => {
    const [window, watcher] = [
      await FakeFront.connect(rig.place, 'window'),
      await FakeFront.connect(rig.place, 'watch'),
    ];
    await watcher.next('welcome');
    const about = {
      at: 1,
      agent: 'claude',
      session: 's',
      folder: '/work',
      event: 'PreToolUse',
      ms: 0,
      askedMs: 0,
    } as const;
    const sent = { ...about, verdict: 'blocked', undone: '/home/ada/.claude/settings.json' } as const;
    watcher.send({ type: 'note', record: { ...sent, session: 'not of a window' } });
    window.send({ type: 'note', record: sent });
    assert.deepEqual((await watcher.next('record')).record, sent);
    window.socket.destroy();
    watcher.socket.destroy();
  });

  it('keeps its endpoint and its socket from other users', () => {
    assert.equal(statSync(rig.place.endpoint).mode & 0o777, 0o600);
    assert.equal(statSync(readEndpoint(rig.place)!.socket).mode & 0o777, 0o600);
  });

  it('answers nobody without the secret', async () => {
    const { port } = readEndpoint(rig.place)!;
    for (const secret of ['', 'f'.repeat(64)]) {
      const socket = createConnection(port, '127.0.0.1');
      socket.write(`hookline-guard 1\nsecret ${secret}\nagent claude\nevent PreToolUse\npid 1\ncwd /\nlength 2\n\n{}`);
      let given = '';
      socket.on('data', piece => (given += piece.toString()));
      await once(socket, 'close');
      assert.equal(given, '');
    }
    const front = await FakeFront.connect(rig.place, 'window', ['/'], 'f'.repeat(64));
    await front.next('refused');
    assert.deepEqual(rig.opened, []);
  });

  it('denies a payload that cannot be read, a folder that cannot be loaded, and an answer that is no object', async () => {
    assert.match(refusalIn((await runClient(rig.place, { payload: '{"cut' })).stdout) ?? '', /no JSON object/);
    rig.open = () => Promise.reject(new Error('the settings are broken'));
    assert.match(refusalIn((await runClient(rig.place, call())).stdout) ?? '', /the settings are broken/);
    rig.open = () => Promise.resolve();
    rig.handle = () => Promise.resolve({ output: '[]', records: [] });
    assert.match(refusalIn((await runClient(rig.place, call())).stdout) ?? '', /not a JSON object/);
    rig.handle = () => Promise.resolve(REPLY);
    assert.equal((await runClient(rig.place, call())).stdout, `${REPLY.output}\n`);
  });

  it('passes a session to the window with the longest folder that holds it, also when the agent moves', async () => {
    const shop = rig.folder('shop');
    const inner = rig.folder('shop/inner');
    const outer = await FakeFront.connect(rig.place, 'window', [shop]);
    const nearer = await FakeFront.connect(rig.place, 'window', [inner]);
    await Promise.all([outer.next('welcome'), nearer.next('welcome')]);
    for (const cwd of [inner, shop]) {
      const running = runClient(rig.place, { ...call({ session: 's', project: inner }), cwd });
      const { id, folder } = await nearer.next('call');
      assert.equal(folder, inner);
      nearer.send({ type: 'reply', id, reply: REPLY });
      assert.equal((await running).stdout, `${REPLY.output}\n`);
    }
    assert.deepEqual(rig.opened, []);
  });

  it('denies a call whose window ends, and asks its own hooks from then on', async () => {
    const shop = rig.folder('shop');
    const window = await FakeFront.connect(rig.place, 'window', [shop]);
    await window.next('welcome');
    const running = runClient(rig.place, { ...call(), cwd: shop });
    await window.next('call');
    window.socket.destroy();
    assert.match(refusalIn((await running).stdout) ?? '', /was closed before it answered/);
    assert.deepEqual(rig.opened, []);
    assert.equal((await runClient(rig.place, { ...call(), cwd: shop })).stdout, `${REPLY.output}\n`);
    assert.deepEqual(rig.opened, [shop]);
  });

  it('tells a window, and its own hooks, when the agent has ended a call', async () => {
    const shop = rig.folder('shop');
    const window = await FakeFront.connect(rig.place, 'window', [shop]);
    await window.next('welcome');
    const stop = new AbortController();
    const running = runClient(rig.place, { ...call(), cwd: shop, signal: stop.signal });
    const { id } = await window.next('call');
    stop.abort();
    assert.equal((await window.next('cancel')).id, id);
    await running;
    const aborted = new Promise<void>(resolve => {
      rig.handle = (_event, _call, signal) => {
        signal.addEventListener('abort', () => resolve());
        stopOwn.abort();
        return new Promise(() => undefined);
      };
    });
    const stopOwn = new AbortController();
    await runClient(rig.place, { ...call({ session: 'other' }), signal: stopOwn.signal });
    await aborted;
  });

  it('asks a question in all windows, takes the first answer, and asks in guard watch when there is no window', async () => {
    const watch = await FakeFront.connect(rig.place, 'watch');
    const window = await FakeFront.connect(rig.place, 'window', []);
    const other = await FakeFront.connect(rig.place, 'window', []);
    await Promise.all([window.next('welcome'), other.next('welcome'), watch.next('welcome')]);
    await runClient(rig.place, call());
    const { dialogs, canAsk } = rig.questions[0]!;
    assert.equal(canAsk(), true);
    const ask = (id: string): Promise<unknown> =>
      dialogs.ask({
        ...{ id, hook: { path: '/h.ts', name: 'h.ts' }, title: 'Really?', message: '', dialog: { type: 'confirm' } },
        ...{ asker: { type: 'deciding' }, conversationId: 'claude:s1' },
        guarded: { agent: 'Claude Code', folder: 'shop' },
      });
    const first = ask('1');
    const question = await window.next('question');
    assert.deepEqual(question.question.guarded, { agent: 'Claude Code', folder: 'shop' });
    assert.equal((await other.next('question')).id, question.id);
    // Who was not asked does not answer.
    watch.send({ type: 'answer', id: question.id, answer: false });
    watch.send({ type: 'status', id: 's' });
    await watch.next('status');
    other.send({ type: 'answer', id: question.id, answer: true });
    assert.equal(await first, true);
    assert.equal((await window.next('close')).id, question.id);
    assert.ok(!watch.received.some(({ type }) => type === 'question'));
    const second = ask('2');
    await Promise.all([window.next('question'), other.next('question')]);
    other.socket.destroy();
    window.socket.destroy();
    const { id } = await watch.next('question');
    const late = await FakeFront.connect(rig.place, 'window', []);
    assert.equal((await late.next('question')).id, id);
    assert.equal((await watch.next('close')).id, id);
    late.send({ type: 'answer', id, answer: false });
    assert.equal(await second, false);
    const third = ask('3');
    await late.next('question');
    watch.socket.destroy();
    late.socket.destroy();
    assert.equal(await third, undefined, 'nobody is left');
    assert.equal(canAsk(), false);
  });

  it('keeps a log without secrets, and counts what each agent did today', async () => {
    const key = `sk-${'a1'.repeat(12)}`;
    rig.handle = event =>
      Promise.resolve({
        output: REPLY.output,
        records: [
          {
            ...{ at: rig.now, agent: event.agent, session: event.sessionId, folder: '/f', event: event.name },
            ...{ tool: 'bash', summary: `curl -H ${key}`, verdict: 'blocked', ms: 1, askedMs: 0 },
          },
        ],
      });
    await runClient(rig.place, call());
    await runClient(rig.place, { ...call(), agent: 'codex' });
    const query = await FakeFront.connect(rig.place, 'query');
    query.send({ type: 'log', id: 'l', count: 1 });
    const { records } = await query.next('log');
    assert.deepEqual(
      records.map(({ agent, summary }) => [agent, summary]),
      [['codex', 'curl -H [redacted]']],
    );
    query.send({ type: 'status', id: 's' });
    const { status } = await query.next('status');
    assert.deepEqual(
      status.agents.map(({ agent, calls, blocks }) => [agent, calls, blocks]),
      AGENT_IDS.map(agent => (['claude', 'codex'].includes(agent) ? [agent, 1, 1] : [agent, 0, 0])),
    );
    assert.deepEqual(status.ownFolders, rig.opened);
    assert.deepEqual(status.waitingHooks, []);
    rig.waiting = 2;
    query.send({ type: 'status', id: 's' });
    const { waitingHooks } = (await query.next('status')).status;
    assert.deepEqual(
      waitingHooks,
      rig.opened.map(folder => ({ folder, count: 2 })),
    );
  });

  it('tells of no folder that is gone, and ends its hooks soon', async () => {
    const gone = rig.folder('gone');
    const kept = rig.folder('kept');
    await runClient(rig.place, { ...call({ session: '1' }), cwd: gone });
    await runClient(rig.place, { ...call({ session: '2' }), cwd: kept });
    rmdirSync(gone);
    const query = await FakeFront.connect(rig.place, 'query');
    query.send({ type: 'status', id: 's' });
    assert.deepEqual((await query.next('status')).status.ownFolders, [kept]);
    await rig.host.endIdle();
    assert.equal(rig.ended, 1);
  });

  it('denies the calls that a check orders it to deny, without asking a hook, until the check ends', async () => {
    const shop = rig.folder('shop');
    const check = await FakeFront.connect(rig.place, 'query');
    check.send({ type: 'fire', id: 'f', folder: shop, reason: 'a check' });
    await check.next('firing');
    assert.equal(refusalIn((await runClient(rig.place, { ...call(), cwd: shop })).stdout), 'a check');
    assert.deepEqual(rig.opened, []);
    check.send({ type: 'log', id: 'l', count: 1 });
    const { records } = await check.next('log');
    assert.deepEqual(
      records.map(({ verdict, reason }) => [verdict, reason]),
      [['blocked', 'a check']],
    );
    assert.equal(
      (await runClient(rig.place, { ...call({ session: 'o' }), cwd: rig.folder('other') })).stdout,
      `${REPLY.output}\n`,
    );
  });

  it('ends its folders and then itself when nothing was used for long, but not while a window is there', async () => {
    await runClient(rig.place, call());
    const window = await FakeFront.connect(rig.place, 'window', []);
    await window.next('welcome');
    rig.now += 16 * 60_000;
    await rig.host.endIdle();
    assert.equal(rig.ended, 1);
    assert.notEqual(readEndpoint(rig.place), undefined);
    window.socket.destroy();
    await once(window.socket, 'close');
    while (readEndpoint(rig.place) !== undefined) {
      rig.now += 16 * 60_000;
      await rig.host.endIdle();
      await new Promise(setImmediate);
    }
    await rig.host.ended;
  });
});
