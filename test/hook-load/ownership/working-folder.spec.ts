import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveScope } from '../../../src/hook-load/ownership/live-scope';
import type { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';

const WORKSPACE = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));
const ELSEWHERE = realpathSync(tmpdir());

class InWorkspace extends Loading {
  override scope(owner = 'h'): OwnershipScope {
    const scope = new LiveScope({ owner, cwd: WORKSPACE, onDidThrow: error => assert.fail(String(error)) });
    this.scopes.push(scope);
    return scope;
  }
}

describe('the folder that a hook finds itself in', () => {
  const HOOK = `import { exec, execSync, spawnSync } from 'node:child_process';
    import { cwd } from 'node:process';
    import { promisify } from 'node:util';
    export default async other => ({
      global: process.cwd(),
      named: cwd(),
      execSync: execSync('pwd').toString().trim(),
      exec: (await promisify(exec)('pwd')).stdout.trim(),
      spawnSync: spawnSync('pwd').stdout.toString().trim(),
      asked: spawnSync('pwd', { cwd: other }).stdout.toString().trim(),
    });`;

  it('is the workspace, also for the processes that it starts, unless it names another', async () => {
    const loading = new InWorkspace(new TempFiles({ 'h.ts': HOOK }));
    try {
      const found = (await loading.run('h.ts', ELSEWHERE)) as Readonly<Record<string, string>>;
      const { asked, ...here } = found;
      assert.deepEqual(Object.values(here), Array<string>(5).fill(WORKSPACE));
      assert.equal(asked, ELSEWHERE);
    } finally {
      await loading.end();
    }
  });
});
