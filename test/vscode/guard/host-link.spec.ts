import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { LineReader } from '../../../src/base/text/line-reader';
import type { Endpoint } from '../../../src/guard/protocol/endpoint';
import {
  messageLine,
  readFrontMessage,
  type FrontMessage,
  type HostMessage,
} from '../../../src/guard/protocol/messages';
import { HostLink, type HostRequest } from '../../../src/vscode/guard/host-link';

const SECRETS = { client: 'c'.repeat(64), host: 'a'.repeat(64) };

/** A host that a test plays. */
class FakeHost {
  private readonly server: Server;
  readonly sockets: Socket[] = [];
  readonly messages: FrontMessage[] = [];
  private wake: () => void = () => undefined;

  constructor(
    path: string,
    readonly endpoint: Endpoint = { ...SECRETS, port: 1, pid: 1, socket: path, version: '1' },
  ) {
    this.server = createServer(socket => {
      this.sockets.push(socket);
      socket.on('error', () => undefined);
      new LineReader(socket).listen(
        line => {
          const read = readFrontMessage(line);
          assert.ok(read.ok, line);
          this.messages.push(read.value);
          this.wake();
        },
        () => undefined,
      );
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.server.listen(this.endpoint.socket, resolve));
  }

  send(message: HostMessage): void {
    this.sockets.at(-1)?.write(messageLine(message));
  }

  /** The message with this number, counted from 0. */
  async message(index: number): Promise<FrontMessage> {
    while (this.messages.length <= index) await new Promise<void>(resolve => (this.wake = resolve));
    return this.messages[index]!;
  }

  /** Ends as a process that is killed. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise(resolve => this.server.close(resolve));
  }
}

describe('the connection of a window to the host of the guard', () => {
  let dir: string;
  let host: FakeHost;
  let link: HostLink;
  let running: Endpoint | undefined;
  let starts: number;
  let lost: number;
  const taken: HostRequest[] = [];
  let wake: () => void = () => undefined;
  const told = async (wanted: () => boolean): Promise<void> => {
    while (!wanted()) await new Promise<void>(resolve => (wake = resolve));
  };

  const welcome = { type: 'welcome', secret: SECRETS.host, version: '1', pid: 1 } as const;
  const connect = (): void => {
    link = new HostLink({
      version: '1',
      folders: () => ['/work'],
      endpoint: () => running,
      start: () => {
        starts += 1;
        wake();
        return Promise.resolve(host.endpoint);
      },
      take: message => {
        taken.push(message);
        wake();
      },
      lost: () => {
        lost += 1;
        wake();
      },
      log: silentLog,
    });
  };

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-link-'));
    taken.length = starts = lost = 0;
    host = new FakeHost(join(dir, 'host.sock'));
    await host.listen();
    running = host.endpoint;
  });
  afterEach(async () => {
    link.dispose();
    await host.close();
    rmSync(dir, { recursive: true });
  });

  it('names its folders, and takes what a host asks that has proved itself', async () => {
    connect();
    assert.deepEqual(await host.message(0), {
      type: 'hello',
      secret: SECRETS.client,
      role: 'window',
      version: '1',
      folders: ['/work'],
    });
    host.send(welcome);
    host.send({ type: 'cancel', id: '7' });
    await told(() => taken.length > 0);
    assert.deepEqual(taken, [{ type: 'cancel', id: '7' }]);
    link.send({ type: 'folders', folders: ['/other'] });
    assert.deepEqual(await host.message(1), { type: 'folders', folders: ['/other'] });
    assert.equal(starts, 0, 'the host runs already');
  });

  it('starts a host when none runs', async () => {
    running = undefined;
    connect();
    await host.message(0);
    assert.equal(starts, 1);
  });

  it('starts a host when the one that is named does not answer', async () => {
    running = { ...host.endpoint, socket: join(dir, 'gone.sock') };
    connect();
    await host.message(0);
    assert.equal(starts, 1);
  });

  it('takes nothing from a program that answers in the place of the host', async () => {
    connect();
    await host.message(0);
    const [socket] = host.sockets;
    const closed = new Promise(resolve => socket?.once('close', resolve));
    host.send({ ...welcome, secret: 'b'.repeat(64) });
    host.send({ type: 'cancel', id: '7' });
    await closed;
    assert.deepEqual(taken, []);
    assert.equal(lost, 0);
    assert.equal(link.isConnected, false);
  });

  it('takes nothing from a host before its welcome', async () => {
    connect();
    await host.message(0);
    const [socket] = host.sockets;
    const closed = new Promise(resolve => socket?.once('close', resolve));
    host.send({ type: 'cancel', id: '7' });
    await closed;
    assert.deepEqual(taken, []);
  });

  it('connects again after the host has ended, and says that its calls are lost', async () => {
    connect();
    await host.message(0);
    host.send(welcome);
    host.send({ type: 'cancel', id: '1' });
    await told(() => taken.length === 1);
    await host.close();
    await told(() => lost === 1);
    host = new FakeHost(join(dir, 'second.sock'));
    await host.listen();
    await host.message(0);
    assert.equal(starts, 1, 'the old endpoint leads to no host');
    host.send(welcome);
    host.send({ type: 'cancel', id: '2' });
    await told(() => taken.length === 2);
  });

  it('leaves out a message that it cannot read', async () => {
    connect();
    await host.message(0);
    host.send(welcome);
    host.sockets[0]?.write('{"type":"of tomorrow"}\nno JSON\n');
    host.send({ type: 'cancel', id: '7' });
    await told(() => taken.length > 0);
    assert.deepEqual(taken, [{ type: 'cancel', id: '7' }]);
  });

  it('ends for good', async () => {
    connect();
    await host.message(0);
    host.send(welcome);
    host.send({ type: 'cancel', id: '7' });
    await told(() => taken.length > 0);
    link.dispose();
    await told(() => lost === 1);
    link.send({ type: 'folders', folders: [] });
    assert.equal(host.messages.length, 1);
    assert.equal(starts, 0);
  });
});
