import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../scripts/support/processes.ts';
import { until } from '../support/conversation-rig';
import { McpRig, textOf } from '../support/mcp-rig';
import { scripted, scriptedHttp } from '../support/scripted-mcp';

describe('MCP servers', () => {
  let rig: McpRig;
  beforeEach(() => (rig = new McpRig()));
  afterEach(() => rig.close());

  it('are connected over stdio, and their tools called', async () => {
    await rig.start({
      'my-docs': scripted({ tools: ['look up', { name: 'b', title: 'The b', inputSchema: { type: 'object' } }] }),
    });
    assert.equal(rig.server('my-docs').state.type, 'connected');
    const tools = rig.servers.tools.all();
    assert.deepEqual(
      tools.map(({ name, label, description }) => ({ name, label, description })),
      [
        {
          name: 'mcp__my_docs__look_up',
          label: 'my-docs/look up',
          description: 'MCP tool look up of the server my-docs',
        },
        { name: 'mcp__my_docs__b', label: 'my-docs/b', description: 'The b' },
      ],
    );
    const result = await rig.call('mcp__my_docs__look_up', { word: 'x' });
    assert.equal(textOf(result), 'look up {"word":"x"}');
    assert.deepEqual(result.structuredContent, { content: [{ type: 'text', text: 'look up {"word":"x"}' }] });
    assert.deepEqual(result.details, { server: 'my-docs', tool: 'look up' });
  });

  for (const stream of [false, true]) {
    it(`are connected over HTTP, answering with ${stream ? 'a stream' : 'JSON'}, and come back after a 503`, async () => {
      const { url, child } = await scriptedHttp({ tools: ['a'], stream, failFirst: 1, token: 'secret' });
      try {
        process.env['MCP_RIG_TOKEN'] = 'secret';
        const headers = { Authorization: 'Bearer ${MCP_RIG_TOKEN}' };
        await rig.start({ far: { url, headers, exposure: 'direct' } });
        assert.deepEqual(rig.server('far').state, { type: 'connected' });
        assert.equal(textOf(await rig.call('mcp__far__a')), 'a {}');
      } finally {
        delete process.env['MCP_RIG_TOKEN'];
        child.kill();
      }
    });
  }

  it('tell how far they are, and are reached with env values that are looked up', async () => {
    const entry = scripted(
      { tools: ['slow', 'env'], calls: { slow: { progress: [1, 2], text: 'done' }, env: { env: 'GREETING' } } },
      { env: { GREETING: '!echo hello' } },
    );
    await rig.start({ s: entry });
    const heard: string[] = [];
    assert.equal(textOf(await rig.call('mcp__s__slow', {}, undefined, heard)), 'done');
    assert.deepEqual(heard, ['Progress 1/10', 'Progress 2/10']);
    assert.equal(textOf(await rig.call('mcp__s__env')), 'hello');
  });

  it('are not started in a folder that is not trusted, where npx would run its programs', async () => {
    rig.isTrusted = false;
    const servers = { s: scripted({ tools: ['where'], calls: { where: { cwd: true } } }) };
    await rig.start(servers);
    assert.equal(textOf(await rig.call('mcp__s__where')), realpathSync(join(rig.agentDir, 'hookline/mcp')));
    rig.isTrusted = true;
    await rig.start();
    assert.equal(textOf(await rig.call('mcp__s__where')), realpathSync(rig.cwd));
  });

  it('change their tools while they run', async () => {
    const calls = { grow: { changeTools: ['grow', 'fresh'], text: 'grown' } };
    await rig.start({ s: scripted({ tools: ['grow', 'old'], calls }) });
    const names = (): string[] => rig.servers.tools.all().map(({ name }) => name);
    const [grow] = rig.servers.tools.all();
    assert.deepEqual(names(), ['mcp__s__grow', 'mcp__s__old']);
    await rig.call('mcp__s__grow');
    await until(() => (names().includes('mcp__s__fresh') ? true : undefined), 'the new tool');
    assert.deepEqual(names(), ['mcp__s__grow', 'mcp__s__fresh']);
    assert.equal(rig.servers.tools.all()[0], grow, 'a tool that stays the same is the same object');
  });

  it('write what they log to mcp.log', async () => {
    await rig.start({ s: scripted({ log: 'careful' }) });
    const file = join(rig.agentDir, 'mcp.log');
    await until(
      () => (rig.server('s').log.lines.some(line => line.includes('careful')) ? true : undefined),
      'the line',
    );
    await rig.servers.dispose();
    assert.match(readFileSync(file, 'utf8'), /^\d{4}-\S+Z \[s\] warning x: careful\n$/);
  });

  it('tell none of their secrets in states, errors and logs', async () => {
    const secret = 'no usual shape 4720';
    const env = { env: { MY_TOKEN: '!printf "no usual shape 4720"' } };
    const calls = { a: { error: `refused: ${secret}` } };
    await rig.start({
      s: scripted({ tools: ['a'], calls, log: `logged ${secret}`, stderr: `printed ${secret}\n` }, env),
      gone: scripted({ stderr: `died of ${secret}\n`, exit: 3 }, env),
    });
    const { log } = rig.server('s');
    const { state, log: ofGone } = rig.server('gone');
    await until(() => (log.lines.filter(line => /logged|printed/.test(line)).length === 2 ? true : undefined), 'both');
    const failed = await rig.call('mcp__s__a').then(textOf, (error: unknown) => String(error));
    assert.match(failed, /refused: \[redacted\]/);
    assert.match(state.type === 'failed' ? state.error : state.type, /died of \[redacted\]/);
    await rig.servers.dispose();
    const file = readFileSync(join(rig.agentDir, 'mcp.log'), 'utf8');
    assert.match(file, /logged \[redacted\]/);
    assert.ok(![...log.lines, ...ofGone.lines, file].join('\n').includes(secret));
  });

  it('end with the window, and so does what they started', async () => {
    const child = join(rig.root, 'child');
    await rig.start({
      s: scripted({ child }),
      deaf: scripted({ deaf: true, tools: ['pid'], calls: { pid: { pid: true } } }),
    });
    const pids = [...readFileSync(child, 'utf8').split(' '), textOf(await rig.call('mcp__deaf__pid'))].map(Number);
    assert.equal(pids.length, 3);
    for (const pid of pids) assert.ok(await isAlive(pid), String(pid));
    await rig.servers.dispose();
    assert.deepEqual(await Promise.all(pids.map(isAlive)), [false, false, false]);
  });
});
