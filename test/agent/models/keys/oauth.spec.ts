import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthFile } from '../../../../src/agent/models/keys/auth-file';
import { EDITOR_ADVICE } from '../../../../src/agent/models/keys/missing-key';
import { OAuthLogins } from '../../../../src/agent/models/keys/oauth';
import type { ProviderRegistration } from '../../../../src/agent/models/provider-config';

describe('OAuthLogins', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline logins '));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gives up a renewal that does not end, and with it the lock that others wait for', async () => {
    const path = join(folder, 'auth.json');
    const expired = { type: 'oauth', access: 'old', refresh: 'r', expires: 1 };
    writeFileSync(path, JSON.stringify({ stuck: expired }), { mode: 0o600 });
    const file = new AuthFile(path, 1);
    await file.load();
    const logins = new OAuthLogins(file, { advice: EDITOR_ADVICE });
    const never = new Promise<never>(() => undefined);
    let isTold = false;
    const oauth = {
      name: 'Stuck',
      login: () => never,
      refreshToken: (_tokens: object, signal?: AbortSignal) => {
        signal?.addEventListener('abort', () => (isTold = true));
        return never;
      },
      getApiKey: () => 'key',
    };
    const registration: ProviderRegistration = {
      name: 'stuck',
      config: { oauth },
      sourceId: '',
      namesKeysBare: false,
      sharesApi: false,
      isFound: false,
      takesSystemMessages: () => false,
    };
    logins.setRegistered([registration]);
    await assert.rejects(logins.auth('stuck'), {
      message: /^The login for "stuck" has expired and could not be renewed \(no answer within 0.001 s\)\./,
    });
    assert.ok(isTold);
    const saved = { access: 'a', refresh: 'r', expires: 2 };
    await file.saveLogin('other', saved);
    assert.deepEqual(file.get('stuck'), expired);
    assert.deepEqual(file.get('other'), { ...saved, type: 'oauth' });
  });
});
