import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { HostMessage } from '../../../src/guard/protocol/messages';
import type { ToolReply, ToolRequest } from '../../../src/guard/protocol/tools';
import { FakeFront, Rig } from './host-rig';

const DEPLOY = { name: 'deploy', title: 'Deploy', description: '', inputSchema: { type: 'object' } };
const saying = (text: string): ToolReply => ({ outcome: 'done', content: [{ type: 'text', text }], records: [] });

describe('calls of tools, answered by windows', () => {
  let rig: Rig;
  let shop: string;
  let ranHere: string[];
  const fronts: FakeFront[] = [];
  beforeEach(async () => {
    rig = await Rig.start();
    shop = rig.folder('shop');
    ranHere = [];
    rig.callTool = ({ name }) => {
      ranHere.push(name);
      return Promise.resolve(saying('the host ran it'));
    };
  });
  afterEach(async () => {
    for (const { socket } of fronts.splice(0)) socket.destroy();
    await rig.host.end();
  });

  const connect = async (role: 'window' | 'tools', folders: string[], offersTools?: true): Promise<FakeFront> => {
    const front = await FakeFront.connect(rig.place, role, folders, undefined, offersTools);
    fronts.push(front);
    await front.next('welcome');
    return front;
  };
  /** A window that can answer calls of tools. */
  const open = (...folders: string[]): Promise<FakeFront> => connect('window', folders, true);
  /** A server; it has been told of the windows that came before. */
  const serve = (folder: string): Promise<FakeFront> => connect('tools', [folder]);
  const call = (server: FakeFront): string => {
    const request: ToolRequest = {
      ...{ client: { name: 'test', version: '1' }, session: 's', pid: process.pid, cwd: shop },
      ...{ name: 'deploy', arguments: { version: '12' } },
    };
    const id = randomUUID();
    server.send({ type: 'callTool', id, request });
    return id;
  };
  const textOf = ({ reply }: Extract<HostMessage, { readonly type: 'toolReply' }>): unknown => reply.content[0];

  it('go to the window with the folder, and its answer goes to the server', async () => {
    const window = await open(shop);
    const server = await serve(shop);
    const id = call(server);
    const asked = await window.next('callTool');
    assert.deepEqual([asked.folder, asked.request.arguments], [shop, { version: '12' }]);
    window.send({ type: 'toolUpdate', id: asked.id, content: [{ type: 'text', text: 'half' }] });
    assert.deepEqual(await server.next('toolUpdate'), {
      ...{ type: 'toolUpdate', id },
      content: [{ type: 'text', text: 'half' }],
    });
    window.send({ type: 'toolReply', id: asked.id, reply: saying('the window ran it') });
    const answer = await server.next('toolReply');
    assert.deepEqual([answer.id, textOf(answer)], [id, { type: 'text', text: 'the window ran it' }]);
    assert.deepEqual([ranHere, rig.opened], [[], []]);
  });

  it('fail when the window closes before it answers, and do not run a second time elsewhere', async () => {
    const window = await open(shop);
    const server = await serve(shop);
    const id = call(server);
    await window.next('callTool');
    window.socket.destroy();
    const failure = await server.next('toolsFailed');
    assert.equal(failure.id, id);
    assert.match(failure.reason, /was closed before it answered/);
    assert.deepEqual([ranHere, rig.opened], [[], []]);
    await server.next('toolsChanged');
    call(server);
    assert.deepEqual(textOf(await server.next('toolReply')), { type: 'text', text: 'the host ran it' });
  });

  it('fail for the list, too, when the window closes', async () => {
    const window = await open(shop);
    const server = await serve(shop);
    server.send({ type: 'listTools', id: 'list' });
    await window.next('listTools');
    window.socket.destroy();
    assert.match((await server.next('toolsFailed')).reason, /was closed before it answered/);
    assert.deepEqual(rig.opened, []);
  });

  it('go to the window with the folder among several, and to none with another', async () => {
    const blog = rig.folder('blog');
    const inner = rig.folder('shop/inner');
    const [other, outer, nearer] = [await open(blog), await open(shop), await open(inner)];
    for (const [folder, window] of [
      [shop, outer],
      [inner, nearer],
      [blog, other],
    ] as const) {
      const server = await serve(folder);
      call(server);
      const asked = await window.next('callTool');
      window.send({ type: 'toolReply', id: asked.id, reply: saying(folder) });
      assert.deepEqual(textOf(await server.next('toolReply')), { type: 'text', text: folder });
    }
    for (const { received } of [other, outer, nearer]) {
      assert.ok(!received.some(({ type }) => type === 'callTool'));
    }
    assert.deepEqual(ranHere, []);
  });

  it('run in the host where no window has the folder, or the one that has it cannot answer', async () => {
    const [other, older, without] = [
      await open(rig.folder('blog')),
      await connect('window', [shop]),
      await connect('window', []),
    ];
    const server = await serve(shop);
    call(server);
    assert.deepEqual(textOf(await server.next('toolReply')), { type: 'text', text: 'the host ran it' });
    assert.deepEqual([ranHere, rig.opened], [['deploy'], [shop]]);
    for (const { received } of [other, older, without]) {
      assert.ok(!received.some(({ type }) => type === 'callTool'));
    }
  });

  it('are not answered by a window that was not asked, nor twice', async () => {
    const window = await open(shop);
    const stranger = await open(rig.folder('blog'));
    const server = await serve(shop);
    const id = call(server);
    const asked = await window.next('callTool');
    stranger.send({ type: 'toolReply', id: asked.id, reply: saying('a lie') });
    // Its messages are read in order: this one tells that the first was.
    stranger.send({ type: 'folders', folders: [] });
    await server.next('toolsChanged');
    window.send({ type: 'toolReply', id: asked.id, reply: saying('the truth') });
    window.send({ type: 'toolReply', id: asked.id, reply: saying('again') });
    assert.deepEqual(textOf(await server.next('toolReply')), { type: 'text', text: 'the truth' });
    server.send({ type: 'listTools', id: 'later' });
    window.send({ type: 'toolList', id: (await window.next('listTools')).id, list: { tools: [DEPLOY], notes: [] } });
    assert.deepEqual((await server.next('toolList')).list.tools, [DEPLOY]);
    assert.ok(!server.received.some(message => message.type === 'toolReply' && message.id === id));
  });

  it('are cancelled in the window when the client cancels, and when the server ends', async () => {
    const window = await open(shop);
    const server = await serve(shop);
    const id = call(server);
    const first = await window.next('callTool');
    server.send({ type: 'cancel', id });
    assert.equal((await window.next('cancel')).id, first.id);
    await server.next('toolsFailed');
    call(server);
    const second = await window.next('callTool');
    server.socket.destroy();
    assert.equal((await window.next('cancel')).id, second.id);
    assert.deepEqual(ranHere, []);
  });

  it('fail with the reason when the host cannot load the folder', async () => {
    rig.open = () => Promise.reject(new Error('no disk'));
    const server = await serve(shop);
    call(server);
    assert.match((await server.next('toolsFailed')).reason, /no disk/);
    server.send({ type: 'listTools', id: 'list' });
    assert.match((await server.next('toolsFailed')).reason, /no disk/);
    assert.deepEqual(ranHere, []);
  });

  it('fail when the server says no folder', async () => {
    const window = await open(shop);
    const server = await connect('tools', []);
    call(server);
    assert.match((await server.next('toolsFailed')).reason, /did not say in which folder/);
    assert.ok(!window.received.some(({ type }) => type === 'callTool'));
    assert.deepEqual(ranHere, []);
  });
});
