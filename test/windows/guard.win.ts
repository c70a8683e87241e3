import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { silentLog } from '../../src/base/log';
import { Fronts, type Front } from '../../src/guard/host/fronts';
import { HostConnection, type GuardFrontFacts } from '../../src/guard/host/host-connection';
import type { HostMessage } from '../../src/guard/protocol/messages';
import { readEndpoint, writeEndpoint } from '../../src/guard/protocol/endpoint';
import type { GuardPlace } from '../../src/guard/protocol/place';
import { newAddress } from '../../src/startup/parent/parent-server';
import { newGuardPlace, refusalIn, runClient } from '../guard/support';

const SECRETS = { client: 'c'.repeat(64), host: 'd'.repeat(64) };
const FACTS = {
  role: 'watch',
  version: '1',
  folders: ['C:\\Shop', 'y:\\shop'],
} satisfies GuardFrontFacts;

/** The endpoint of a host that listens on a pipe with this address; its port is one that nobody listens on. */
async function announce(place: GuardPlace, socket: string, pid = process.pid): Promise<void> {
  await writeEndpoint(place, { port: 9, ...SECRETS, pid, socket, version: '1' });
}

describe('the guard on Windows', function () {
  this.timeout(240_000);
  let fronts: Fronts | undefined;
  afterEach(() => {
    fronts?.dispose();
    fronts = undefined;
  });

  it('reaches its host over a named pipe, and each knows the other by a secret', async () => {
    const place = await newGuardPlace('state ü');
    const { address } = newAddress('win32');
    fronts = new Fronts({ secrets: SECRETS, version: '1', log: silentLog });
    await fronts.listen(address);
    await announce(place, address);
    assert.equal(readEndpoint(place)?.socket, address);
    const came = new Promise<Front>(resolve => fronts?.onDidChange(resolve));
    const connection = await HostConnection.open(place, FACTS);
    assert.ok(connection !== undefined);
    const front = await came;
    assert.deepEqual([front.role, [...front.folders.values()]], ['watch', FACTS.folders]);
    let end = (): void => undefined;
    const ended = new Promise<void>(resolve => (end = resolve));
    const message = new Promise<HostMessage>(resolve => connection.listen(resolve, end));
    front.send({ type: 'refused', reason: 'ü\r\n' });
    assert.deepEqual(await message, { type: 'refused', reason: 'ü\r\n' });
    fronts.dispose();
    await ended;
  });

  it('does not take another program on the pipe for the host, nor who has no secret for a front', async () => {
    const place = await newGuardPlace();
    const { address } = newAddress('win32');
    fronts = new Fronts({ secrets: { ...SECRETS, host: 'e'.repeat(64) }, version: '1', log: silentLog });
    await fronts.listen(address);
    await announce(place, address);
    assert.equal(await HostConnection.open(place, FACTS), undefined);
    const wrong = { ...readEndpoint(place)!, client: randomBytes(32).toString('hex') };
    await writeEndpoint(place, wrong);
    await assert.rejects(HostConnection.open(place, FACTS), /The secret is wrong\./);
  });

  it('finds no host where nobody listens on the pipe', async () => {
    const place = await newGuardPlace();
    await announce(place, newAddress('win32').address);
    assert.equal(await HostConnection.open(place, FACTS), undefined);
  });

  it('refuses a call where its client in Node finds no host, and says what to do', async () => {
    const place = await newGuardPlace('a state ü');
    const run = () => runClient(place, { kind: 'node', payload: '{"tool_name":"Bash","tool_input":{}}' });
    assert.match(refusalIn((await run()).stdout) ?? '', /Run 'hookline guard status'/, 'no endpoint');
    await announce(place, newAddress('win32').address, 2 ** 30);
    assert.match(refusalIn((await run()).stdout) ?? '', /Run 'hookline guard status'/, 'the host has ended');
    await announce(place, newAddress('win32').address);
    assert.match(refusalIn((await run()).stdout) ?? '', /Run 'hookline guard status'/, 'nobody listens');
    assert.ok(existsSync(place.nodeClient));
    assert.match(readFileSync(place.nodeClient, 'utf8'), /createConnection/);
  });
});
