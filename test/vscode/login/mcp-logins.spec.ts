import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SecretMcpLogins } from '../../../src/vscode/login/mcp-logins';

/** VS Code's secrets, which every window reaches by itself. */
class Secrets {
  readonly kept = new Map<string, string>();
  async get(key: string): Promise<string | undefined> {
    await setImmediate();
    return this.kept.get(key);
  }
  async store(key: string, value: string): Promise<void> {
    await setImmediate();
    this.kept.set(key, value);
  }
  delete(key: string): Promise<void> {
    this.kept.delete(key);
    return Promise.resolve();
  }
}

describe('logins to MCP servers in VS Code', () => {
  const KEY = 'mcp__far|https://far.test/mcp';
  let dir: string;
  let secrets: Secrets;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-logins-'));
    secrets = new Secrets();
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('are kept as secrets alone, changed and removed', async () => {
    const logins = new SecretMcpLogins(secrets, join(dir, 'storage'));
    assert.equal(await logins.load(KEY), undefined);
    await logins.update(KEY, () => ({ serverUrl: 'https://far.test/mcp', codeVerifier: 'secret' }));
    await logins.update(KEY, login => ({ ...login, tokensExpireAt: 5 }));
    assert.deepEqual(await logins.load(KEY), {
      serverUrl: 'https://far.test/mcp',
      codeVerifier: 'secret',
      tokensExpireAt: 5,
    });
    assert.deepEqual([...secrets.kept.keys()], [`hookline.mcpLogin.${KEY}`]);
    const files = readdirSync(join(dir, 'storage'), { recursive: true, withFileTypes: true }).filter(file =>
      file.isFile(),
    );
    assert.ok(!files.some(file => readFileSync(join(file.parentPath, file.name), 'utf8').includes('secret')));
    await logins.update(KEY, () => undefined);
    assert.equal(secrets.kept.size, 0);
  });

  it('lose nothing when two windows change one at once', async () => {
    const windows = [new SecretMcpLogins(secrets, dir), new SecretMcpLogins(secrets, dir)];
    await Promise.all(
      [...windows, ...windows].map(logins =>
        logins.update(KEY, login => ({ tokensExpireAt: (login?.tokensExpireAt ?? 0) + 1 })),
      ),
    );
    assert.deepEqual(await windows[0]?.load(KEY), { tokensExpireAt: 4 });
  });

  it('that cannot be read are none, and are replaced', async () => {
    const logins = new SecretMcpLogins(secrets, dir);
    for (const text of ['{', '5', 'null']) {
      secrets.kept.set(`hookline.mcpLogin.${KEY}`, text);
      assert.equal(await logins.load(KEY), undefined);
    }
    await logins.update(KEY, login => ({ ...login, codeVerifier: 'new' }));
    assert.deepEqual(await logins.load(KEY), { codeVerifier: 'new' });
  });
});
