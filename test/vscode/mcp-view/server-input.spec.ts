import assert from 'node:assert/strict';
import { readCommandLine, suggestedName } from '../../../src/vscode/mcp-view/server-input';

describe('what a person types for an MCP server', () => {
  const LINES: readonly (readonly [text: string, config: object | undefined])[] = [
    ['npx', { command: 'npx' }],
    ['  npx -y  server .  ', { command: 'npx', args: ['-y', 'server', '.'] }],
    [
      'KEY=a=b OTHER="x y" node server.js --flag=1',
      { command: 'node', args: ['server.js', '--flag=1'], env: { KEY: 'a=b', OTHER: 'x y' } },
    ],
    [`"/with space/run" 'it''s' ''`, { command: '/with space/run', args: ['its', ''] }],
    [
      String.raw`C:\tools\server.exe D:\data`,
      { command: String.raw`C:\tools\server.exe`, args: [String.raw`D:\data`] },
    ],
    [
      String.raw`/with\ space/run "say \"hi\"" 'a\b'`,
      { command: '/with space/run', args: ['say "hi"', String.raw`a\b`] },
    ],
    ['', undefined],
    ['   ', undefined],
    ['KEY=value', undefined],
    ['""', undefined],
    ['node "server.js', undefined],
  ];
  for (const [text, config] of LINES) {
    it(`as a command line: ${text === '' ? '(nothing)' : text}`, () => assert.deepEqual(readCommandLine(text), config));
  }

  const NAMES: readonly (readonly [text: string, name: string])[] = [
    ['npx -y @modelcontextprotocol/server-filesystem .', 'filesystem'],
    ['npx @modelcontextprotocol/server-everything@2026.1.0 stdio', 'everything'],
    ['uvx mcp-server-git --repository .', 'git'],
    ['uv run weather-mcp', 'weather'],
    ['node /home/me/tools/notes.mjs', 'notes'],
    [String.raw`C:\tools\search.exe --all`, 'search'],
    ['npx -y', 'npx'],
    ['./ü', 'server'],
    ['mcp', 'mcp'],
  ];
  for (const [text, name] of NAMES) {
    it(`gives the name ${name} to ${text}`, () => {
      const config = readCommandLine(text);
      assert.ok(config);
      assert.equal(suggestedName(config), name);
    });
  }

  it('gives the name of its host to an address', () => {
    const names = ['https://mcp.example.com/mcp', 'http://localhost:3000', 'http://127.0.0.1:80/mcp', 'http://[::1]/'];
    assert.deepEqual(
      names.map(url => suggestedName({ url })),
      ['example', 'localhost', 'local', 'local'],
    );
  });
});
