import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log';
import { loadByTrust, type TrustedParts } from '../../src/startup/load-by-trust';
import { ProjectTrust, type TrustParts } from '../../src/startup/trust/project-trust';

describe('loading hooks by the trust in a folder', () => {
  let cwd = '';
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'hookline-by-trust-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  /** What was read, in order; `trusted` hooks are loaded with those of the folder. */
  async function reads(more: Partial<TrustParts> = {}): Promise<readonly string[]> {
    const seen: string[] = [];
    const note = (what: string) => () => Promise.resolve(void seen.push(what));
    const trust = new ProjectTrust({ agentDir: join(cwd, 'agent'), cwd, env: {}, log: silentLog, ...more });
    const parts = {
      trust,
      settings: { reload: note('settings'), current: { defaultProjectTrust: 'ask' } },
      prompt: { reload: note('prompt') },
      host: {
        reload: () => Promise.resolve(void seen.push(trust.isTrusted ? 'trusted hooks' : 'hooks')),
        runner: { hasHandlers: () => false },
      },
    };
    await loadByTrust(parts as unknown as TrustedParts);
    return seen;
  }

  it('loads them once where the folder has nothing that hooks could decide about', async () => {
    assert.deepEqual(await reads(), ['settings', 'prompt', 'trusted hooks']);
  });

  it('loads those from outside first where it has', async () => {
    mkdirSync(join(cwd, '.pi', 'hooks'), { recursive: true });
    assert.deepEqual(await reads({ flag: true }), ['hooks', 'settings', 'prompt', 'trusted hooks']);
  });

  it('loads them once, without the folder, where that is not trusted or nobody has decided', async () => {
    const never = { flag: false };
    assert.deepEqual(await reads(never), ['hooks']);
    mkdirSync(join(cwd, '.pi', 'hooks'), { recursive: true });
    assert.deepEqual(await reads(never), ['hooks']);
    assert.deepEqual(await reads(), ['hooks']);
  });
});
