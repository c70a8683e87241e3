import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../scripts/support/processes.ts';
import type { ToolResult } from '../../src/agent/tools/tool';
import { clientServers } from '../../src/mcp/config/client-servers';
import { ConversationMcp } from '../../src/mcp/conversation-mcp';
import { describeServers } from '../../src/mcp/status-text';
import { McpRig, textOf } from '../support/mcp-rig';
import { MCP_SERVER, scripted, scriptedHttp, type Scenario } from '../support/scripted-mcp';

const SECRET = 'zq7-not-a-word-93xk';

/** The scripted server as a client gives it. */
function given(name: string, scenario: Scenario, env: Readonly<Record<string, string>> = {}): object {
  const pairs = Object.entries(env).map(([variable, value]) => ({ name: variable, value }));
  return { name, command: process.execPath, args: [MCP_SERVER, JSON.stringify(scenario)], env: pairs };
}

describe('MCP servers of a client', () => {
  let rig: McpRig;
  let opened: ConversationMcp[] = [];
  beforeEach(() => (rig = new McpRig()));
  afterEach(async () => {
    await Promise.all(opened.map(each => each.dispose()));
    opened = [];
    await rig.close();
  });

  async function open(...servers: readonly object[]): Promise<ConversationMcp> {
    const mcp = new ConversationMcp(rig.servers, clientServers(servers));
    opened.push(mcp);
    await mcp.reload();
    await mcp.ready(undefined);
    return mcp;
  }
  const names = (mcp: Pick<ConversationMcp, 'tools'>): string[] => mcp.tools.all().map(({ name }) => name);
  function call(mcp: ConversationMcp, name: string): Promise<ToolResult> {
    const tool = mcp.tools.all().find(each => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool.execute('call', {}, undefined, () => undefined);
  }

  it('are there in their own conversation only, beside those of the folder, which run once', async () => {
    await rig.start({ all: scripted({ tools: ['pid'], calls: { pid: { pid: true } } }) });
    const one = await open(given('own', { tools: ['a'] }));
    const other = await open(given('else', { tools: ['b'] }));
    assert.deepEqual(names(one), ['mcp__all__pid', 'mcp__own__a']);
    assert.deepEqual(names(other), ['mcp__all__pid', 'mcp__else__b']);
    assert.deepEqual(names(rig.servers), ['mcp__all__pid']);
    assert.equal(textOf(await call(one, 'mcp__all__pid')), textOf(await call(other, 'mcp__all__pid')));
  });

  it('replace one of the folder of the same name in their conversation, and nowhere else', async () => {
    await rig.start({ 'the-one': scripted({ tools: ['ofFolder'] }) });
    const mcp = await open(given('the_one', { tools: ['ofClient'] }));
    assert.deepEqual(names(mcp), ['mcp__the_one__ofClient']);
    assert.equal(mcp.find('the-one'), undefined);
    assert.deepEqual(names(rig.servers), ['mcp__the_one__ofFolder']);
  });

  it('get their values as they are: no variable, command or home folder is put in', async () => {
    const literal = { VARIABLE: '$HOME', COMMAND: '!echo ran', BRACES: '${HOME}', HOME_SIGN: '~' };
    const calls = Object.fromEntries(Object.keys(literal).map(name => [name, { env: name }]));
    const mcp = await open(given('own', { tools: Object.keys(literal), calls }, literal));
    for (const [name, value] of Object.entries(literal)) {
      assert.equal(textOf(await call(mcp, `mcp__own__${name}`)), value);
    }
    const [entry] = clientServers([{ name: 'x', command: '~/bin/x', args: ['~', '$HOME'] }]);
    const broken = await open({ name: 'x', command: '~/bin/x', args: [] });
    assert.deepEqual(entry?.config, { command: '~/bin/x', args: ['~', '$HOME'], env: {} });
    const state = broken.find('x')?.state;
    assert.match(state?.type === 'failed' ? state.error : '', /^"~\/bin\/x" cannot be started/);
  });

  it('are reached over HTTP with their headers', async () => {
    const { url, child } = await scriptedHttp({ tools: ['far'], calls: { far: { text: 'hello' } } });
    try {
      const headers = [{ name: 'Authorization', value: `Bearer ${SECRET}` }];
      const mcp = await open({ type: 'http', name: 'net', url, headers });
      assert.equal(textOf(await call(mcp, 'mcp__net__far')), 'hello');
      assert.equal(mcp.find('net')?.usesLogin, false);
    } finally {
      child.kill();
    }
  });

  it('leave no secret in files, logs, states and what hooks see of tools', async () => {
    const scenario: Scenario = { tools: ['a'], log: `started with ${SECRET}`, stderr: `it is ${SECRET}\n` };
    const mcp = await open(given('own', scenario, { PLAIN_NAME: SECRET }));
    const broken = given('broken', { stderr: `no ${SECRET}\n`, exit: 3 }, { PLAIN_NAME: SECRET });
    const failing = await open(broken);
    const { problems, replacedBy } = failing;
    const text = describeServers({ list: () => failing.list(), problems, replacedBy });
    assert.match(text, /^broken: failed: its process ended with code 3/);
    const state = failing.find('broken')?.state;
    assert.match(state?.type === 'failed' ? state.error : '', /no \[redacted\]/);
    const seen = JSON.stringify([mcp, failing].flatMap(each => each.tools.all()));
    await Promise.all(opened.splice(0).map(each => each.dispose()));
    const log = join(rig.agentDir, 'mcp.log');
    assert.match(readFileSync(log, 'utf8'), /\[own\] warning x: started with \[redacted\]/);
    for (const file of readdirSync(rig.root, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      assert.ok(!readFileSync(join(file.parentPath, file.name), 'utf8').includes(SECRET), file.name);
    }
    assert.ok(!seen.includes(SECRET));
    const lines = [mcp, failing].flatMap(each => each.list().flatMap(({ log: own }) => own.lines));
    assert.ok(!lines.join('\n').includes(SECRET));
  });

  it('never delay the first prompt when they do not answer, and are found once they do', async () => {
    const mcp = new ConversationMcp(rig.servers, clientServers([given('mute', { never: true })]));
    opened.push(mcp);
    await mcp.reload();
    await mcp.beforePrompt(new AbortController().signal);
    assert.equal(mcp.find('mute')?.state.type, 'connecting');
    assert.equal(mcp.needsSearch, true);
    assert.match(mcp.promptSection() ?? '', /mcp__mute/);
  });

  it('start in an empty folder where the folder is not trusted', async () => {
    rig.isTrusted = false;
    const mcp = await open(given('own', { tools: ['cwd'], calls: { cwd: { cwd: true } } }));
    assert.equal(textOf(await call(mcp, 'mcp__own__cwd')), join(rig.agentDir, 'hookline', 'mcp'));
  });

  it('end with their conversation; those of the folder and of others go on', async () => {
    const server = { tools: ['pid'], calls: { pid: { pid: true } } };
    await rig.start({ all: scripted(server) });
    const [one, other] = [await open(given('own', server)), await open(given('own', server))];
    const pid = async (mcp: ConversationMcp, name: string): Promise<number> => Number(textOf(await call(mcp, name)));
    const ended = await pid(one, 'mcp__own__pid');
    const going = [await pid(other, 'mcp__own__pid'), await pid(other, 'mcp__all__pid')];
    let changes = 0;
    one.onDidChange(() => (changes += 1));
    await one.dispose();
    assert.equal(await isAlive(ended), false);
    assert.deepEqual([await pid(other, 'mcp__own__pid'), await pid(other, 'mcp__all__pid')], going);
    changes = 0;
    await rig.servers.restart('all');
    assert.equal(changes, 0);
  });

  it('are restarted by name, as those of the folder are', async () => {
    const server = { tools: ['pid'], calls: { pid: { pid: true } } };
    await rig.start({ all: scripted(server) });
    const mcp = await open(given('own', server));
    for (const name of ['own', 'all']) {
      const before = textOf(await call(mcp, `mcp__${name}__pid`));
      await mcp.restart(name);
      assert.notEqual(textOf(await call(mcp, `mcp__${name}__pid`)), before);
    }
    await assert.rejects(mcp.restart('none'), /There is no MCP server "none"/);
  });

  it('keep running when the folder is read again, which knows nothing of them', async () => {
    const mcp = await open(given('own', { tools: ['pid'], calls: { pid: { pid: true } } }));
    const before = textOf(await call(mcp, 'mcp__own__pid'));
    await mcp.reload();
    assert.equal(textOf(await call(mcp, 'mcp__own__pid')), before);
    assert.equal(existsSync(join(rig.agentDir, 'mcp.json')), false);
  });

  it('are refused by the name of the member that is wrong', () => {
    const url = 'http://localhost/mcp';
    const wrong: readonly (readonly [servers: readonly unknown[], message: string])[] = [
      [[7], 'mcpServers[0] must be an object'],
      [[{ command: 'x' }], 'mcpServers[0].name must be a text that is not empty'],
      [[{ name: 'a' }], 'mcpServers[0]: "command" must be a text that is not empty'],
      [[{ name: 'a', command: 'x', args: 'y' }], 'mcpServers[0]: "args" must be a list of texts'],
      [[{ name: 'a', command: 'x', env: {} }], 'mcpServers[0].env must be a list'],
      [
        [{ name: 'a', command: 'x', env: [{ name: 'A', value: '1' }, { name: 'B' }] }],
        'mcpServers[0].env[1].value must be a text',
      ],
      [
        [{ name: 'a', command: 'x', env: [{ name: 'A', value: 'a\0b' }] }],
        'mcpServers[0].env[0].value must not contain a null character',
      ],
      [[{ type: 'http', name: 'a', url: 'ftp://x' }], 'mcpServers[0]: "url" must be an http or https address'],
      [
        [{ type: 'http', name: 'a', url, headers: [{ value: 'x' }] }],
        'mcpServers[0].headers[0].name must be a text that is not empty',
      ],
      [
        [
          { name: 'a', command: 'x' },
          { type: 'sse', name: 'b', url },
        ],
        'mcpServers[1].type: "sse" is not supported; use "http", or a program with "command"',
      ],
      [
        [
          { name: 'a b', command: 'x' },
          { name: 'a-b', command: 'x' },
        ],
        'mcpServers[1].name gives tools the same names as mcpServers[0]',
      ],
    ];
    for (const [servers, message] of wrong) assert.throws(() => clientServers(servers), { message });
  });

  it('may have any name, and members that nobody knows', () => {
    const [entry] = clientServers([{ name: ' My Server (dev) ', command: 'x', env: null, _meta: { y: 1 } }]);
    assert.equal(entry?.name, 'My_Server__dev_');
    assert.deepEqual(entry.config, { command: 'x', args: [], env: {} });
  });
});
