import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { OUT, ROOT } from '../../scripts/support/paths.ts';
import { McpRig, textOf } from '../support/mcp-rig';
import { describePeer } from './peers';

/** It warns when a connection is made anew some ms too late, which tells of the machine's load alone. */
const WARNS_OF_DELAYS = 'sse-retry';

/** What clients may leave out, and Hookline does. */
const NOT_DONE = [
  // It answers no questions of servers.
  'elicitation-sep1034-client-defaults',
  // Its client id is no published document: it registers itself.
  'auth/basic-cimd',
  // Logins without a person.
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/cross-app-access-complete-flow',
];

describePeer('MCP as its project tests it', 'mcp', folder => {
  const modules = join(folder, 'node_modules', '@modelcontextprotocol');

  describe('its server with everything', () => {
    const program = join(modules, 'server-everything', 'dist', 'index.js');
    let rig: McpRig;
    let server: ChildProcess | undefined;
    beforeEach(() => (rig = new McpRig()));
    afterEach(async () => {
      await rig.close();
      server?.kill();
      server = undefined;
    });

    it('is used over stdio', async () => {
      await rig.start({ all: { command: process.execPath, args: [program, 'stdio'], exposure: 'direct' } });
      await isUsed();
    });

    it('is used over HTTP', async () => {
      const port = await freePort();
      server = spawn(process.execPath, [program, 'streamableHttp'], {
        env: { ...process.env, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await says(server, /listening on port/i);
      await rig.start({ all: { url: `http://127.0.0.1:${port}/mcp`, exposure: 'direct' } });
      await isUsed();
    });

    async function isUsed(): Promise<void> {
      assert.deepEqual(rig.server('all').state, { type: 'connected' });
      assert.deepEqual(rig.server('all').offer?.problems, []);
      assert.equal(textOf(await rig.call('mcp__all__echo', { message: 'hello' })), 'Echo: hello');
      assert.match(textOf(await rig.call('mcp__all__get_sum', { a: 19, b: 23 })), /42/);
      const image = await rig.call('mcp__all__get_tiny_image');
      assert.ok(image.content.some(part => part.type === 'image' && part.mimeType === 'image/png'));
      assert.match(
        textOf(await rig.call('mcp__all__get_structured_content', { location: 'New York' })),
        /"temperature": ?\d+/,
      );
      const heard: string[] = [];
      const long = await rig.call(
        'mcp__all__trigger_long_running_operation',
        { duration: 0.2, steps: 2 },
        undefined,
        heard,
      );
      assert.match(textOf(long), /completed/);
      // The library tells of nothing behind the answer, so that the last step may be missing.
      assert.equal(heard[0], 'Progress 1/2');
      const listed = textOf(await rig.call('list_mcp_resources', { server: 'all' }));
      assert.match(listed, /demo:\/\/resource\/static\/document\/architecture\.md/);
      const uri = 'demo://resource/dynamic/text/7';
      assert.match(textOf(await rig.call('read_mcp_resource', { server: 'all', uri })), /Resource 7/);
      assert.equal((await rig.call('mcp__all__get_sum', { a: 'none', b: 1 })).isError, true);
    }
  });

  it('passes the scenarios for clients, but for those that are named', async () => {
    const client = join(OUT, `mcp-client-${process.pid}.mjs`);
    await esbuild.build({
      entryPoints: [join(ROOT, 'test', 'peers', 'support', 'mcp-client.ts')],
      outfile: client,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
    try {
      const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(client)}`;
      const options = ['--suite', 'all', '--command', command, '--timeout', '90000'];
      const conformance = join(modules, 'conformance', 'dist', 'index.js');
      const child = spawn(process.execPath, [conformance, 'client', ...options], { cwd: OUT });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
      await new Promise(resolve => child.once('close', resolve));
      const ends = [...said.matchAll(/^[✓✗] (\S+): \d+ passed, (\d+) failed(?:, (\d+) warnings)?/gm)].map(
        ([, name = '', failed, warnings = '0']) => ({ name, failed: Number(failed), warnings: Number(warnings) }),
      );
      assert.ok(ends.length >= 26, said);
      const unmet = ends.filter(
        ({ name, failed, warnings }) => failed > 0 || (warnings > 0 && name !== WARNS_OF_DELAYS),
      );
      assert.deepEqual(unmet.map(({ name }) => name).toSorted(), [...NOT_DONE].toSorted(), said);
    } finally {
      rmSync(client, { force: true });
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Resolves when a process says this on stderr. */
async function says(child: ChildProcess, text: RegExp): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (text.test(said)) resolve();
    });
    child.once('exit', code => reject(new Error(`it ended with ${String(code)}: ${said}`)));
  });
}
