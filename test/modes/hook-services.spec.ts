import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eachWithUnknownModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

describe('settings and MCP servers as hooks of today find them', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithUnknownModel();

  it('are a copy of what is set, and servers that are kept, told of and not connected', async () => {
    place.useLlm(llm, { own: { deep: [1] } });
    const trace = place.file('trace.json', '');
    const hook = place.file(
      'services.ts',
      `import { writeFileSync } from 'node:fs';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  const told: unknown[] = [];
  const refused = (code: () => void) => { try { code(); return 'taken'; } catch (error) { return (error as Error).message; } };
  pi.registerMcpServer('docs', { url: 'http://127.0.0.1:1/mcp' });
  pi.on('mcp_servers_change', event => { told.push(event.servers.map(({ name }) => name)); });
  pi.registerCommand('look', { handler: async () => {
    (pi.getSettings() as any).own.deep.push(2);
    pi.registerMcpServer('more', { command: 'more' });
    const bad = [refused(() => pi.registerMcpServer('a b', { url: 'x' })), refused(() => pi.registerMcpServer('none', {} as never))];
    pi.unregisterMcpServer('docs');
    await new Promise(resolve => setImmediate(resolve));
    const { own, defaultModel } = pi.getSettings();
    writeFileSync(${JSON.stringify(trace)}, JSON.stringify({ own, defaultModel, servers: pi.getMcpServers(), told, bad }));
  } });
};
`,
    );
    const host = RpcHost.start(place, ['-e', hook]);
    await host.data('prompt', { message: '/look' });
    await host.data('get_state');
    assert.equal((await host.close()).code, 0);
    const { servers, ...rest } = JSON.parse(readFileSync(trace, 'utf8')) as { readonly servers: unknown };
    assert.deepEqual(servers, [{ name: 'more', config: { command: 'more' }, extensionPath: hook }]);
    assert.deepEqual(rest, {
      own: { deep: [1] },
      defaultModel: 'one',
      told: [['docs', 'more'], ['more']],
      bad: [
        'MCP server "a b": a name has letters, digits, "_" and "-" only',
        'MCP server "none": needs "command" or "url"',
      ],
    });
  });
});
