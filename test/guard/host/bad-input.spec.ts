import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { ClientServer } from '../../../src/guard/host/client-server';
import { Fronts, type Front } from '../../../src/guard/host/fronts';
import { GuardLog } from '../../../src/guard/host/guard-log';
import type { GuardRecord } from '../../../src/guard/protocol/agent-call';
import { readEndpoint } from '../../../src/guard/protocol/endpoint';
import { messageLine } from '../../../src/guard/protocol/messages';
import { CLIENT_KINDS, refusalIn, runClient } from '../support';
import { call, FakeFront, REPLY, Rig } from './host-rig';

const SECRETS = { client: 'c'.repeat(64), host: 'd'.repeat(64) };
const MB = 1024 * 1024;

/** All that comes back until the other side closes. */
async function closed(socket: Socket): Promise<string> {
  let given = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', piece => (given += piece.toString()));
  await new Promise(resolve => socket.once('close', resolve));
  return given;
}

describe('the port of the host', () => {
  let rig: Rig;
  beforeEach(async () => (rig = await Rig.start()));
  afterEach(() => rig.host.end());

  const HEAD = 'agent claude\nevent PreToolUse\npid 1\ncwd /\n';
  const requests: Readonly<Record<string, (secret: string) => string>> = {
    'a version of tomorrow': secret => `hookline-guard 2\nsecret ${secret}\n${HEAD}length 2\n\n{}`,
    'no head at all': () => 'GET / HTTP/1.1\nHost: 127.0.0.1\n\n',
    'a head without an end': secret => `hookline-guard 1\nsecret ${secret}\ncwd ${'/a'.repeat(MB)}`,
    'a head that is longer than it may be': secret =>
      `hookline-guard 1\nsecret ${secret}\n${HEAD}var A ${'b'.repeat(MB)}\nlength 2\n\n{}`,
    'no length': secret => `hookline-guard 1\nsecret ${secret}\n${HEAD}\n{}`,
    'a length that is no number': secret => `hookline-guard 1\nsecret ${secret}\n${HEAD}length 0x2\n\n{}`,
    'a payload over 16 MB': secret => `hookline-guard 1\nsecret ${secret}\n${HEAD}length ${16 * MB + 1}\n\n{`,
    'more than it announced': secret => `hookline-guard 1\nsecret ${secret}\n${HEAD}length 2\n\n{}{}`,
    'an agent that nobody knows': secret =>
      `hookline-guard 1\nsecret ${secret}\n${HEAD.replace('claude', 'other')}length 2\n\n{}`,
    'no secret, and the beginning of a large payload': () => `hookline-guard 1\n${HEAD}length ${MB}\n\n{`,
  };
  for (const [what, request] of Object.entries(requests)) {
    it(`closes without an answer to ${what}, and serves the next client`, async () => {
      const { port, client } = readEndpoint(rig.place)!;
      const socket = createConnection(port, '127.0.0.1');
      socket.write(request(client));
      assert.equal(await closed(socket), '');
      assert.deepEqual(rig.opened, []);
      assert.equal((await runClient(rig.place, call())).stdout, `${REPLY.output}\n`);
    });
  }

  it('reads a request that comes byte by byte', async () => {
    const { port, client } = readEndpoint(rig.place)!;
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
    const answer = closed(socket);
    for (const byte of Buffer.from(`hookline-guard 1\nsecret ${client}\n${HEAD}length 3\n\n{ }`)) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    assert.ok((await answer).endsWith(`\n${REPLY.output}`));
  });

  for (const kind of CLIENT_KINDS) {
    it(`gets nothing of a payload over 16 MB from the ${kind} client, which refuses`, async () => {
      const { stdout, code } = await runClient(rig.place, { kind, payload: `{"a":"${'x'.repeat(17 * MB)}"}` });
      assert.match(refusalIn(stdout) ?? '', /too much data/);
      assert.equal(code, 0);
      assert.deepEqual(rig.opened, []);
    });
  }

  it('closes when the request takes too long, whether it began or not, and not while the call is open', async () => {
    let reply: (output: string) => void = () => undefined;
    const asked = new Promise<void>(resolve => {
      const answer = (): Promise<string> => {
        resolve();
        return new Promise(settle => (reply = settle));
      };
      server = new ClientServer({ secrets: SECRETS, answer, log: silentLog, requestMs: 20 });
    });
    const port = await server.listen();
    const request = `hookline-guard 1\nsecret ${SECRETS.client}\n${HEAD}length 2\n\n{`;
    const [silent, begun, whole] = [0, 1, 2].map(() => createConnection(port, '127.0.0.1'));
    begun!.write(request);
    whole!.write(`${request}}`);
    const answer = closed(whole!);
    await asked;
    assert.deepEqual(await Promise.all([closed(silent!), closed(begun!)]), ['', '']);
    reply('{}');
    assert.equal(await answer, `hookline-guard 1 ${SECRETS.host} 2\n{}`);
    server.dispose();
  });
  let server: ClientServer;

  it('is not taken over by who gets it after the end of the host, whose endpoint is left behind', async () => {
    const left = readFileSync(rig.place.endpoint, 'utf8'); // With the pid of a process that lives: the number may come again.
    const { port } = readEndpoint(rig.place)!;
    await rig.host.end();
    const allow = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';
    const foreign = createServer(socket => {
      socket.on('error', () => socket.destroy());
      // All that it knows is what clients send.
      socket.once('data', piece => {
        const secret = /secret (\w+)/.exec(piece.toString())?.[1] ?? '';
        socket.end(`hookline-guard 1 ${secret} ${allow.length}\n${allow}`);
      });
    });
    await once(foreign.listen(port, '127.0.0.1'), 'listening');
    writeFileSync(rig.place.endpoint, left, { mode: 0o600 });
    for (const kind of CLIENT_KINDS) {
      assert.match(refusalIn((await runClient(rig.place, { kind })).stdout) ?? '', /another program answered/);
    }
    foreign.close();
    rig.host = (await rig.another())!;
    assert.equal((await runClient(rig.place, call())).stdout, `${REPLY.output}\n`, 'the next host is found');
  });
});

describe('the socket of the host', () => {
  const parts = { secrets: SECRETS, version: '1', log: silentLog };
  const newAddress = (): string => join(mkdtempSync(join(tmpdir(), 'fronts-')), 's');

  it('closes for who never says hello, and not for who did', async () => {
    const fronts = new Fronts({ ...parts, helloMs: 20 });
    const address = newAddress();
    await fronts.listen(address);
    const [silent, begun, known] = [0, 1, 2].map(() => createConnection(address));
    begun!.write('{"type":"hello"');
    known!.write(messageLine({ type: 'hello', secret: SECRETS.client, role: 'watch', version: '1', folders: [] }));
    assert.deepEqual(await Promise.all([closed(silent!), closed(begun!)]), ['', '']);
    assert.equal(fronts.all.length, 1);
    fronts.dispose();
    await closed(known!);
  });

  it('closes for who reads nothing, before it fills the memory of the host', async () => {
    const fronts = new Fronts(parts);
    const address = newAddress();
    await fronts.listen(address);
    const came = new Promise<Front>(resolve => fronts.onDidChange(resolve));
    const deaf = createConnection(address).pause();
    deaf.on('error', () => deaf.destroy());
    deaf.write(messageLine({ type: 'hello', secret: SECRETS.client, role: 'watch', version: '1', folders: [] }));
    const front = await came;
    const reason = 'x'.repeat(MB);
    let sent = 0;
    for (; sent < 1_000 && !front.ended.aborted; sent += 1) {
      front.send({ type: 'refused', reason });
      await new Promise(setImmediate);
    }
    assert.ok(sent > 60 && sent < 100, `${sent} MB`);
    assert.deepEqual(fronts.all, []);
    fronts.dispose();
    deaf.destroy();
  });
});

describe('windows and folders of the host', () => {
  it('that came first with a folder answers, and the other one when it has gone, for the same session', async () => {
    const rig = await Rig.start();
    const shop = rig.folder('shop');
    const first = await FakeFront.connect(rig.place, 'window', [shop]);
    await first.next('welcome');
    const other = await FakeFront.connect(rig.place, 'window', [shop]);
    await other.next('welcome');
    const replyOf = async (window: FakeFront): Promise<string> => {
      const running = runClient(rig.place, { ...call(), cwd: shop });
      const { id } = await window.next('call');
      window.send({ type: 'reply', id, reply: REPLY });
      return (await running).stdout;
    };
    assert.equal(await replyOf(first), `${REPLY.output}\n`);
    assert.equal(await replyOf(first), `${REPLY.output}\n`);
    assert.ok(!other.received.some(({ type }) => type === 'call'));
    first.socket.destroy();
    await once(first.socket, 'close');
    assert.equal(await replyOf(other), `${REPLY.output}\n`);
    assert.deepEqual(rig.opened, []);
    await rig.host.end();
  });

  it('that hang answer nothing, and their other calls are answered meanwhile', async () => {
    const rig = await Rig.start();
    const shop = rig.folder('shop');
    const window = await FakeFront.connect(rig.place, 'window', [shop]);
    await window.next('welcome');
    const stop = new AbortController();
    const hanging = runClient(rig.place, { ...call(), cwd: shop, signal: stop.signal });
    const { id } = await window.next('call');
    const running = runClient(rig.place, { ...call(), cwd: shop });
    const next = await window.next('call');
    // The reply to a call that the host does not know counts for none.
    window.send({ type: 'reply', id: 'unknown', reply: { output: '', records: [] } });
    window.send({ type: 'reply', id: next.id, reply: REPLY });
    assert.equal((await running).stdout, `${REPLY.output}\n`);
    stop.abort(); // As when the patience of the client is over.
    assert.equal((await window.next('cancel')).id, id);
    assert.equal((await hanging).stdout, '');
    await rig.host.end();
  });

  for (const kind of CLIENT_KINDS) {
    it(`have any name, through the ${kind} client to the hooks`, async () => {
      // Node itself runs no module from a folder with a backslash in its name.
      const odd = `a 'b' "c" ü \u4e2d $(d) \`e\`${kind === 'bash' ? ' \\n' : ''}`;
      const rig = await Rig.start(odd);
      const shop = rig.folder(`${odd} \\n\nshop`);
      const { stdout } = await runClient(rig.place, { ...call(), kind, cwd: shop });
      assert.equal(stdout, `${REPLY.output}\n`);
      const session = { session: 'other', project: shop };
      assert.equal((await runClient(rig.place, { ...call(session), kind })).stdout, `${REPLY.output}\n`);
      assert.deepEqual(rig.opened, [shop]);
      await rig.host.end();
    });
  }
});

describe('the guard log', () => {
  it('stays small, keeps the newest calls, and is for its owner only', async () => {
    const log = join(mkdtempSync(join(tmpdir(), 'guard-log-')), 'log.jsonl');
    const record = (at: number): GuardRecord => ({
      ...{ at, agent: 'claude', session: 's', folder: '/f', event: 'PreToolUse', verdict: 'blocked' },
      ...{ summary: 'x'.repeat(400), ms: 1, askedMs: 0 },
    });
    const guardLog = new GuardLog({ log });
    for (let at = 0; at < 5_000; at += 100) {
      await guardLog.add(Array.from({ length: 100 }, (_, index) => record(at + index)));
    }
    for (const path of [log, `${log}.1`]) {
      const { size, mode } = statSync(path);
      assert.ok(size <= MB, `${size}`);
      assert.equal(mode & 0o777, 0o600);
    }
    // Another host goes on with it.
    await new GuardLog({ log }).add([record(5_000)]);
    const newest = await guardLog.newest(1_000);
    assert.deepEqual(
      newest.map(({ at }) => at),
      Array.from({ length: 1_000 }, (_, index) => 4_001 + index),
    );
  });
});
