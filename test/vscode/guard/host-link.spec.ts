import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import type { HostMessage } from '../../../src/guard/protocol/messages';
import { guardPlace, type GuardPlace } from '../../../src/guard/protocol/place';
import { HostLink } from '../../../src/vscode/guard/host-link';
import { FakeGuardHost } from '../../support/fake-guard-host';

describe('the connection of a window to the host of the guard', () => {
  let dir: string;
  let place: GuardPlace;
  let host: FakeGuardHost;
  let link: HostLink | undefined;
  let starts: number;
  let lost: number;
  let taken: HostMessage[];
  let wake: () => void = () => undefined;
  const told = async (wanted: () => boolean): Promise<void> => {
    while (!wanted()) await new Promise<void>(resolve => (wake = resolve));
  };
  const connect = (): void => {
    link = new HostLink({
      place,
      version: '1',
      folders: ['/work'],
      start: async () => {
        starts += 1;
        if (host.isListening) throw new Error('another program is there');
        host = new FakeGuardHost(place);
        await host.listen();
        wake();
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
  const welcomed = async (): Promise<void> => {
    await host.message(0);
    host.welcome();
    host.send({ type: 'cancel', id: 'first' });
    await told(() => taken.length > 0);
  };

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-link-'));
    place = guardPlace(dir);
    host = new FakeGuardHost(place);
    taken = [];
    starts = lost = 0;
  });
  afterEach(async () => {
    link?.dispose();
    await host.close();
    rmSync(dir, { recursive: true });
  });

  it('names its folder, and takes what a host asks that has proved itself', async () => {
    await host.listen();
    connect();
    const hello = await host.message(0);
    assert.ok(hello.type === 'hello');
    assert.deepEqual([hello.role, hello.folders], ['window', ['/work']]);
    host.welcome();
    host.send({ type: 'cancel', id: '7' });
    await told(() => taken.length > 0);
    assert.deepEqual(taken, [{ type: 'cancel', id: '7' }]);
    link?.send({ type: 'answer', id: '1', answer: true });
    assert.deepEqual(await host.message(1), { type: 'answer', id: '1', answer: true });
    assert.equal(starts, 0, 'the host runs already');
  });

  it('says when the host knows the window, and when it cannot be reached', async () => {
    await host.listen();
    connect();
    let isOver = false;
    void link?.firstTry.then(() => (isOver = true));
    await host.message(0);
    assert.equal(isOver, false, 'the host has not answered');
    host.welcome();
    await link?.firstTry;
    link?.send({ type: 'answer', id: '1', answer: true });
    assert.deepEqual(await host.message(1), { type: 'answer', id: '1', answer: true });
    link?.dispose();
    await host.close();
    host = new FakeGuardHost(place);
    Object.defineProperty(host, 'isListening', { value: true });
    connect();
    await link?.firstTry;
    assert.equal(starts, 1, 'it was tried');
  });

  it('starts a host when none runs', async () => {
    connect();
    await told(() => starts === 1);
    await welcomed();
    assert.equal(starts, 1);
  });

  it('takes nothing from a program that answers in the place of the host', async () => {
    await host.listen();
    connect();
    await host.message(0);
    const [socket] = host.sockets;
    const closed = new Promise(resolve => socket?.once('close', resolve));
    host.welcome('b'.repeat(64));
    host.send({ type: 'cancel', id: '7' });
    await closed;
    assert.deepEqual(taken, []);
    assert.equal(lost, 0);
  });

  it('connects again after the host has ended, and says that its calls are lost', async () => {
    await host.listen();
    connect();
    await welcomed();
    await host.close();
    await told(() => lost === 1);
    await told(() => starts === 1);
    taken = [];
    await welcomed();
    assert.deepEqual(taken, [{ type: 'cancel', id: 'first' }]);
  });

  it('ends for good', async () => {
    await host.listen();
    connect();
    await welcomed();
    link?.dispose();
    await told(() => lost === 1);
    link?.send({ type: 'answer', id: '1' });
    assert.equal(host.messages.length, 1);
    assert.equal(starts, 0);
  });
});
