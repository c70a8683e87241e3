import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMcpMode } from '../../src/modes/mcp-mode';
import { backFrom, LoginAuthority } from '../support/login-authority';
import { McpRig, textOf } from '../support/mcp-rig';
import { scripted, scriptedHttp } from '../support/scripted-mcp';

describe('hookline mcp', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-mcp-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    const said = { out: '', err: '' };
    const cwd = join(root, 'work');
    mkdirSync(cwd, { recursive: true });
    const process = {
      env: { PI_CODING_AGENT_DIR: join(root, 'agent'), PATH: globalThis.process.env['PATH'] },
      stdin: { isTTY: false },
      stdout: { write: (text: string) => (said.out += text) },
      stderr: { isTTY: false, write: (text: string) => (said.err += text) },
    } as unknown as NodeJS.Process;
    const code = { distDir: '', jitiDir: '', storageDir: '', stateDir: '', version: '0' };
    return { code: await runMcpMode(argv, { process, caller: { env: {}, ppid: 0 }, cwd, code }), ...said };
  }
  const written = (file: string): unknown =>
    (JSON.parse(readFileSync(join(root, file), 'utf8')) as { mcpServers: unknown }).mcpServers;

  it('adds programs with all that belongs to them, and servers over HTTP', async () => {
    const added = await run('add', 'files', '--env', 'A=b=c', '--exposure', 'direct', 'npx', '-y', 'server', '--url');
    assert.deepEqual(added, {
      code: 0,
      out: `Added MCP server "files" in ${join(root, 'agent', 'mcp.json')}\n`,
      err: '',
    });
    assert.equal((await run('add', '-l', 'tools', '--', 'uvx', '--', 'x')).code, 0);
    assert.equal(
      (await run('add', 'docs', '--url', 'https://docs.test/mcp', '--bearer-token-env-var', 'T', '--header', 'X=1'))
        .code,
      0,
    );
    assert.equal(
      (await run('add', 'docs', '--url', 'https://docs.test/mcp', '--oauth-callback-port', '80')).out.slice(0, 8),
      'Replaced',
    );
    assert.deepEqual(written('agent/mcp.json'), {
      files: { command: 'npx', args: ['-y', 'server', '--url'], env: { A: 'b=c' }, exposure: 'direct' },
      docs: { url: 'https://docs.test/mcp', oauth: { callbackPort: 80 } },
    });
    assert.deepEqual(written('work/.pi/mcp.json'), { tools: { command: 'uvx', args: ['--', 'x'] } });
    assert.equal((await run('remove', 'files')).code, 0);
    assert.match((await run('remove', 'files')).err, /There is no MCP server "files" in/);
    assert.deepEqual(Object.keys(written('agent/mcp.json') as object), ['docs']);
  });

  it('creates a file that only its owner can read, and keeps the mode of an existing one', async function () {
    if (process.platform === 'win32') return this.skip();
    const modeOf = (file: string): string => (statSync(join(root, file)).mode & 0o777).toString(8);
    const secret = ['--env', 'TOKEN=t0p', '--', 'npx'];
    await run('add', 'one', ...secret);
    await run('add', '-l', 'one', ...secret);
    assert.deepEqual([modeOf('agent/mcp.json'), modeOf('work/.pi/mcp.json')], ['600', '600']);
    chmodSync(join(root, 'agent', 'mcp.json'), 0o640);
    await run('add', 'two', ...secret);
    assert.equal(modeOf('agent/mcp.json'), '640');
    assert.deepEqual(Object.keys(written('agent/mcp.json') as object), ['one', 'two']);
  });

  it('refuses what is no server', async () => {
    const refused = async (...argv: string[]): Promise<string> => {
      const { code, err } = await run(...argv);
      assert.equal(code, 1);
      return err;
    };
    assert.match(await refused('add', 'x'), /Use: hookline mcp add/);
    assert.match(await refused('add', 'a b', '--', 'x'), /its name may have letters/);
    assert.match(
      await refused('add', 'x', '--cwd', '.', '--url', 'http://x.test'),
      /--cwd is only for servers that are programs/,
    );
    assert.match(await refused('add', 'x', '--header', 'A', '--url', 'http://x.test'), /--header needs KEY=VALUE/);
    assert.match(await refused('fly'), /There is no command "mcp fly"/);
    assert.match(await refused('login', 'x'), /There is no MCP server "x"/);
  });

  it('lists how each stands, and ends with 1 when one does not', async () => {
    const { command, args } = scripted({ tools: ['a', 'b'] }) as { command: string; args: string[] };
    await run('add', 'good', '--', command, ...args);
    const fine = await run('list', '--json');
    assert.equal(fine.code, 0);
    const { servers } = JSON.parse(fine.out) as { servers: { name: string; state: string; tools: string[] }[] };
    assert.deepEqual(
      servers.map(({ name, state, tools }) => [name, state, ...tools]),
      [['good', 'connected', 'a', 'b']],
    );
    await run('add', 'bad', '--', '/no/such/program');
    const { code, out } = await run('list');
    assert.equal(code, 1);
    assert.match(out, /^good: connected, 2 tools \(deferred, user\)\n {2}\S+.*\n {2}tools: a, b\nbad: failed: /);
  });
});

describe('the login to an MCP server', () => {
  let rig: McpRig;
  let authority: LoginAuthority;

  beforeEach(async () => {
    rig = new McpRig();
    authority = await LoginAuthority.open();
  });
  afterEach(async () => {
    await rig.close();
    await authority.close();
  });

  /** The person allows it at once. */
  const allows = (url: URL): void => void fetch(backFrom(url));

  it('is asked for, given in the browser, kept for pi, noticed from elsewhere, and deleted', async () => {
    const { challenge } = authority;
    const { url, child } = await scriptedHttp({ tools: ['a'], token: 'secret', challenge });
    authority.resource = url;
    try {
      await rig.start({ far: { url, exposure: 'direct' } });
      assert.deepEqual(rig.server('far').state, { type: 'needsLogin' });
      assert.ok(!authority.asked.includes('/register'), 'nothing is registered before a person wants it');
      await rig.servers.logIn('far', { open: allows }, AbortSignal.timeout(10_000));
      assert.deepEqual(rig.server('far').state, { type: 'connected' });
      assert.equal(textOf(await rig.call('mcp__far__a')), 'a {}');
      const kept = JSON.parse(readFileSync(join(rig.agentDir, 'mcp-auth.json'), 'utf8')) as Record<
        string,
        { tokens: object }
      >;
      assert.deepEqual(Object.keys(kept), [`mcp__far|${url}`]);
      assert.deepEqual(kept[`mcp__far|${url}`]?.tokens, {
        ...{ access_token: 'secret', token_type: 'Bearer', expires_in: 3600, refresh_token: 'again' },
        issuer: authority.origin,
      });
      assert.equal(await rig.servers.logOut('far'), true);
      assert.deepEqual(rig.server('far').state, { type: 'needsLogin' });
      assert.equal(await rig.servers.logOut('far'), false);
    } finally {
      child.kill();
    }
  });

  it('that is refused or given up leaves the server as it was', async () => {
    const { challenge } = authority;
    const { url, child } = await scriptedHttp({ tools: ['a'], token: 'secret', challenge });
    authority.resource = url;
    const refuses = (page: URL): void => {
      void fetch(`${page.searchParams.get('redirect_uri') ?? ''}?error=access_denied&error_description=No+way`);
    };
    try {
      await rig.start({ far: { url } });
      await assert.rejects(rig.servers.logIn('far', { open: refuses }, AbortSignal.timeout(10_000)), /^Error: No way$/);
      const pasted = (): Promise<string> => Promise.resolve('http://127.0.0.1/callback?code=right&state=other');
      await assert.rejects(
        rig.servers.logIn('far', { open: () => undefined, pasted }, AbortSignal.timeout(10_000)),
        /returned the result of a different login/,
      );
      const late = rig.servers.logIn('far', { open: () => undefined }, AbortSignal.timeout(300));
      await assert.rejects(late, /canceled, or nobody completed it in time/);
      assert.deepEqual(rig.server('far').state, { type: 'needsLogin' });
    } finally {
      child.kill();
    }
  });

  for (const page of [
    'file:///etc/passwd',
    'vscode://some.extension/run',
    'smb://evil.test/share',
    'http://evil.test/authorize',
    'http://127.0.0.1.evil.test/',
    'http://localhost.evil.test/',
    'ms-msdt:/id',
  ]) {
    it(`opens no address of another kind than a web page: ${page}`, async () => {
      const opened: URL[] = [];
      const { challenge } = authority;
      const { url, child } = await scriptedHttp({ tools: ['a'], token: 'secret', challenge });
      authority.resource = url;
      authority.page = page;
      try {
        await rig.start({ far: { url } });
        const open = (address: URL): void => void opened.push(address);
        await assert.rejects(
          rig.servers.logIn('far', { open }, AbortSignal.timeout(10_000)),
          /an address for the login that is neither https nor on this computer/,
        );
        assert.deepEqual(opened, []);
      } finally {
        child.kill();
      }
    });
  }

  for (const page of ['https://example.test/authorize', 'http://localhost:1/authorize', 'http://[::1]:1/authorize']) {
    it(`opens a web page: ${page}`, async () => {
      const opened: string[] = [];
      const { challenge } = authority;
      const { url, child } = await scriptedHttp({ tools: ['a'], token: 'secret', challenge });
      authority.resource = url;
      authority.page = page;
      try {
        await rig.start({ far: { url } });
        const open = (address: URL): void => void opened.push(address.href.split('?')[0] ?? '');
        const pasted = (): Promise<undefined> => Promise.resolve(undefined);
        await assert.rejects(rig.servers.logIn('far', { open, pasted }, AbortSignal.timeout(10_000)), /canceled/);
        assert.deepEqual(opened, [page]);
      } finally {
        child.kill();
      }
    });
  }
});
