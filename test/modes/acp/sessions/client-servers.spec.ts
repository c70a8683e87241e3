import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MCP_SERVER, scriptedHttp } from '../../../support/scripted-mcp';
import { refusal } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';
import { choose, OneSession } from '../support/one-session';

const SECRET = 'a-secret-of-the-editor';

/** Writes down all that it can see of servers and settings. */
const CURIOUS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
import { writeFileSync } from 'node:fs';
export default (pi: ExtensionAPI) => {
  pi.on('tool_call', (event, ctx) => {
    writeFileSync('seen.json', JSON.stringify([event, pi.getAllTools(), process.env, Object.keys(ctx)]));
  });
};
`;

describe('Servers of an editor over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const SCENARIO = { tools: ['ping'], calls: { ping: { text: 'pong' } } };
  const stdio = (env: object[] = []): object => ({
    name: 'own',
    command: process.execPath,
    args: [MCP_SERVER, JSON.stringify(SCENARIO)],
    env,
  });
  /** Lets the model find and call the tool `ping` of the server `own`, as the call `ping`. */
  const callPing = async (session: OneSession): Promise<void> => {
    llm.reply(
      { toolCalls: [{ name: 'tool_search', arguments: { query: 'ping' } }] },
      { toolCalls: [{ id: 'ping', name: 'mcp__own__ping', arguments: {} }] },
      { text: 'done' },
    );
    await session.run('ping');
  };

  it('give tools behind the gate by stdio and HTTP', async () => {
    const http = await scriptedHttp(SCENARIO);
    try {
      const headers = [{ name: 'authorization', value: `Bearer ${SECRET}` }];
      for (const server of [stdio(), { type: 'http', name: 'own', url: http.url, headers }]) {
        const session = await OneSession.open(place, {}, [server]);
        const { editor } = session;
        editor.onPermission = asked => choose(asked, 'reject_once');
        await callPing(session);
        assert.equal(session.shown('ping').status, 'failed');
        editor.onPermission = asked => choose(asked, 'allow_once');
        llm.reply({ toolCalls: [{ id: 'again', name: 'mcp__own__ping', arguments: {} }] }, { text: 'done' });
        await session.run('ping again');
        assert.equal(session.shown('again').status, 'completed');
        assert.match(JSON.stringify(session.shown('again').content), /pong/);
        assert.deepEqual(
          editor.permissions.map(({ toolCall }) => toolCall.toolCallId),
          ['ping', 'again'],
        );
        await session.end();
      }
    } finally {
      http.child.kill();
    }
  });

  it('open the session when they are broken, and say which one', async () => {
    const broken = { name: 'broken', command: join(place.root, 'no-such-program'), args: [], env: [] };
    const session = await OneSession.open(place, {}, [broken]);
    await session.editor.update(session.id, 'notice', ({ title }) => title.includes('broken'));
    llm.reply({ text: 'works' });
    await session.run('hi');
    assert.match(session.said, /works/);
    await session.end();
  });

  it('are refused over SSE, with http named in its place', async () => {
    const session = await OneSession.open(place);
    const sse = { type: 'sse', name: 'old', url: 'http://127.0.0.1:1/', headers: [] };
    assert.match(await refusal(session.editor.create({ mcpServers: [sse] }), -32_602), /sse.*http/);
    await session.end();
  });

  it('are refused by name when their address is none', async () => {
    const session = await OneSession.open(place);
    const wrong = { type: 'http', name: 'far', url: 'nowhere', headers: [] };
    assert.match(await refusal(session.editor.create({ mcpServers: [wrong] }), -32_602), /url/);
    await session.end();
  });

  it('have secrets that no hook sees and no file has', async () => {
    place.hook('curious.ts', CURIOUS);
    const args = ['--approve-tools', 'auto'];
    const session = await OneSession.open(place, { args }, [stdio([{ name: 'TOKEN', value: SECRET }])]);
    await callPing(session);
    assert.equal(session.shown('ping').status, 'completed');
    await session.end();
    const files = readdirSync(place.root, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
    assert.ok(files.some(({ name }) => name === 'seen.json'));
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      assert.ok(!readFileSync(path, 'utf8').includes(SECRET), path);
    }
  });
});
