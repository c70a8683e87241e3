import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServerConfig } from '../../src/hook-typings/registered/mcp';
import { reachOf } from '../../src/mcp/config/exposure';
import { addServer, changeServer, removeServer } from '../../src/mcp/config/write-config';
import { McpRig } from '../support/mcp-rig';

const OFF = { enabled: false };

describe('mcp.json', () => {
  let rig: McpRig;
  beforeEach(() => (rig = new McpRig()));
  afterEach(() => rig.close());

  const problems = (): string[] =>
    rig.servers.problems.map(({ message, line, column }) => `${line ?? '-'}:${column ?? '-'} ${message}`);
  const configs = (): [string, McpServerConfig, string | undefined][] =>
    rig.servers.list().map(({ name, entry }) => [name, entry.config, entry.override]);

  it('of the project takes the place of the person’s, or changes it, and keeps what nobody knows', async () => {
    rig.write('user', {
      a: { command: 'a', ...OFF, future: { x: 1 } },
      b: { url: 'https://b.test/mcp', ...OFF, headers: { X: '1' } },
      c: { command: 'c', ...OFF },
    });
    const file = rig.write('project', {
      a: { exposure: 'direct', toolExposure: { x: 'codemode-deferred' } },
      b: { command: 'other', ...OFF },
      d: { type: 'streamable-http', url: 'http://d.test', ...OFF },
    });
    await rig.servers.reload();
    assert.deepEqual(problems(), []);
    assert.deepEqual(configs(), [
      ['a', { command: 'a', ...OFF, future: { x: 1 }, exposure: 'direct', toolExposure: { x: 'codemode' } }, file],
      ['b', { command: 'other', ...OFF }, undefined],
      ['c', { command: 'c', ...OFF }, undefined],
      ['d', { type: 'streamable-http', url: 'http://d.test', ...OFF }, undefined],
    ]);
    rig.isTrusted = false;
    await rig.servers.reload();
    assert.deepEqual(
      configs().map(([name]) => name),
      ['a', 'b', 'c'],
    );
  });

  const WRONG: readonly (readonly [unknown, string])[] = [
    [
      { type: 'sse', url: 'http://x.test' },
      '"type": "sse" is not supported. Use streamable HTTP, which such servers often offer at "/mcp"',
    ],
    [{ type: 'pipe', command: 'x' }, '"type" must be "stdio", "http" or "streamable-http"'],
    [{ type: 'http', command: 'x' }, '"type": "http" does not go with "command"'],
    [{ command: 'x', url: 'http://x.test' }, 'has "command" and "url"; it can have only one of them'],
    [{}, 'needs "command" or "url"'],
    [[], 'must be an object'],
    [{ command: ' ' }, '"command" must be a text that is not empty'],
    [{ command: 'x', args: 'y' }, '"args" must be a list of texts'],
    [{ command: 'x', env: { A: 1 } }, '"env" must be an object of texts'],
    [{ command: 'x', timeout: 0 }, '"timeout" must be a number of seconds above 0'],
    [{ command: 'x', enabled: 'no' }, '"enabled" must be true or false'],
    [{ command: 'x', exposure: 'all' }, '"exposure" must be "codemode", "deferred", "direct" or "hidden"'],
    [
      { command: 'x', toolExposure: { a: 'no' } },
      '"toolExposure" of "a" must be "codemode", "deferred", "direct" or "hidden"',
    ],
    [{ url: 'ftp://x.test' }, '"url" must be an http or https address'],
    [{ url: 'http://x.test', oauth: { callbackPort: 70000 } }, '"oauth.callbackPort" must be a port'],
    [
      { url: 'http://x.test', oauth: { callbackUrl: 'http://evil.test/callback' } },
      '"oauth.callbackUrl" must be an http address on localhost, 127.0.0.1 or [::1]',
    ],
    [
      { url: 'http://x.test', auth: { provider: 'p' } },
      '"auth" needs an https address, or one on localhost, 127.0.0.1 or [::1]',
    ],
  ];
  it('names what is wrong with an entry, and the others go on', async () => {
    const entries = WRONG.map(([entry], index) => [`w${index}`, entry] as const);
    rig.write('user', Object.fromEntries([...entries, ['good', { command: 'x', ...OFF }]]));
    await rig.servers.reload();
    assert.deepEqual(
      rig.servers.problems.map(({ message }) => message),
      WRONG.map(([, message], index) => `MCP server "w${index}": ${message}.`),
    );
    assert.deepEqual(
      configs().map(([name]) => name),
      ['good'],
    );
  });

  it('tells names that are none or alike, and where a wrong member stands', async () => {
    rig.write(
      'user',
      `{
  "mcpServers": {
    "a b": { "command": "x", "enabled": false },
    "my-docs": { "command": "x", "enabled": false },
    "my_docs": { "command": "x", "enabled": false },
    "late": { "command": "x",
      "timeout": "soon" },
    "two": { "command": "x", "enabled": false },
    "two": { "command": "y", "enabled": false }
  }
}`,
    );
    rig.write('project', {
      none: { enabled: false },
      'my-docs': { enabled: true, env: {} },
      steals: { url: 'https://x.test', auth: { provider: 'p' } },
    });
    await rig.servers.reload();
    assert.deepEqual(
      problems().sort(),
      [
        '3:5 MCP server "a b": its name may have letters, digits, "_" and "-" only.',
        '3:5 MCP server "none": needs "command" or "url", or a server of this name in your own mcp.json that it changes.',
        '5:5 MCP server "my_docs": its name differs from "my-docs" only in "-" and "_", so the names of their tools would be the same.',
        '7:7 MCP server "late": "timeout" must be a number of seconds above 0.',
        '8:7 MCP server "my-docs": an entry without "command" and "url" can only have enabled, exposure, toolExposure.',
        '9:5 MCP server "two" is defined twice; this entry is used.',
        '12:7 MCP server "steals": "auth" is only for your own mcp.json, because it sends your login.',
      ].sort(),
    );
    assert.deepEqual(configs().find(([name]) => name === 'two')?.[1], { command: 'y', ...OFF });
  });

  it('that is no JSON is told with line and column, and the last valid version stays in effect', async () => {
    rig.write('user', { a: { command: 'a', ...OFF } });
    await rig.servers.reload();
    rig.write('user', '{\n  "mcpServers": {\n    "a": { "command": }\n  }\n}');
    await rig.servers.reload();
    assert.match(problems()[0] ?? '', /^3:23 mcp\.json is not JSON: [^]*The last valid version stays in effect\.$/);
    assert.deepEqual(
      configs().map(([name]) => name),
      ['a'],
    );
    rig.write('user', '[]');
    await rig.servers.reload();
    assert.match(problems()[0] ?? '', /^1:- mcp\.json must be an object with an object "mcpServers"\./);
  });

  it('says how each tool is reached', () => {
    const config = {
      command: 'x',
      exposure: 'hidden',
      toolExposure: { 'get_*': 'direct', '*_all*': 'deferred', get_all: 'hidden', '***': 'codemode' },
    } as const;
    const reaches = ['get_one', 'get_all', 'list_all_now', 'other'].map(tool => reachOf(config, tool));
    assert.deepEqual(reaches, ['direct', 'hidden', 'deferred', 'deferred']);
    assert.equal(reachOf({ command: 'x' }, 'any'), 'deferred');
    assert.equal(reachOf({ command: 'x', toolExposure: { 'a*b*a': 'direct' } }, 'aba'), 'direct');
    assert.equal(reachOf({ command: 'x', toolExposure: { 'ab*ba': 'direct' } }, 'aba'), 'deferred');
  });

  it('is changed one entry at a time, and the rest stays as it is written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-mcp-'));
    const file = join(folder, 'deep', 'mcp.json');
    try {
      assert.equal(await addServer(file, 'a', { command: 'x' }), false);
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { mcpServers: { a: { command: 'x' } } });
      const text = '{\n\t"future": [1,2],\n\t"mcpServers": {\n\t\t"a": {"command":"x"}\n\t}\n}\n';
      writeFileSync(file, text);
      await changeServer(file, 'a', { enabled: false });
      await changeServer(file, 'b', { exposure: 'direct' });
      const changed = readFileSync(file, 'utf8');
      assert.ok(changed.startsWith('{\n\t"future": [1,2],\n\t"mcpServers": {\n\t\t"a": {'), changed);
      assert.deepEqual(JSON.parse(changed), {
        future: [1, 2],
        mcpServers: { a: { command: 'x', enabled: false }, b: { exposure: 'direct' } },
      });
      assert.equal(await addServer(file, 'a', { command: 'y' }), true);
      assert.equal(await removeServer(file, 'b'), true);
      assert.equal(await removeServer(file, 'b'), false);
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { future: [1, 2], mcpServers: { a: { command: 'y' } } });
      writeFileSync(file, '{ broken');
      await assert.rejects(addServer(file, 'c', { command: 'z' }), /is not JSON, and nothing was changed in it/);
      assert.equal(readFileSync(file, 'utf8'), '{ broken');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('gets a server behind the others, which stay letter by letter as they are written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-mcp-'));
    const file = join(folder, 'mcp.json');
    const cases: readonly (readonly [text: string, start: string])[] = [
      [
        '{\n\t"mcpServers": {\n\t\t"a": { "command": "x",  "args": [] }\n\t}\n}\n',
        '\t\t"a": { "command": "x",  "args": [] },\n\t\t"b": {\n',
      ],
      ['{\r\n  "mcpServers": {\r\n    "a": {"command":"x"}\r\n  }\r\n}', '    "a": {"command":"x"},\r\n    "b": {\r\n'],
      ['{"mcpServers": {"a": {"command": "x"}}}', '"b": {'],
    ];
    try {
      for (const [text, start] of cases) {
        writeFileSync(file, text);
        await addServer(file, 'b', { command: 'y', args: ['1'] });
        const changed = readFileSync(file, 'utf8');
        assert.ok(changed.includes(start), changed);
        const { mcpServers } = JSON.parse(changed) as { mcpServers: Record<string, unknown> };
        assert.deepEqual([Object.keys(mcpServers), mcpServers['b']], [['a', 'b'], { command: 'y', args: ['1'] }]);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
