import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginKey, McpAuthFile } from '../../src/mcp/login/mcp-auth-file';

describe('mcp-auth.json', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-auth-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('can be read by its owner alone, since it has tokens', async () => {
    const path = join(root, 'mcp-auth.json');
    const file = new McpAuthFile(path);
    const key = loginKey('s', 'https://example.test/mcp');
    const change = (serverUrl: string): Promise<void> => file.update(key, () => ({ serverUrl }));
    const mode = (): number => statSync(path).mode & 0o777;
    await change('a');
    assert.equal(mode(), 0o600);
    chmodSync(path, 0o644);
    await change('b');
    assert.equal(mode(), 0o600);
    assert.deepEqual(await file.load(key), { serverUrl: 'b' });
  });
});
