import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostOptions } from '../../../scripts/build/options.ts';
import { buildScripts } from '../../../scripts/build/write-scripts.ts';
import { COMPANION_ID } from '../../../src/vscode/palette/companion-manifest';

describe('the program that VS Code runs after an uninstall', function () {
  this.timeout(60_000);
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-uninstall-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  it('removes the companion, and the bytecode of our code, also its own', async () => {
    const outdir = join(root, 'hookline', 'dist');
    const options = hostOptions({ production: false, outdir });
    await buildScripts({ ...options, entryPoints: { uninstall: options.entryPoints['uninstall'] ?? '' } });
    const registered = [COMPANION_ID, 'somebody.other'].map(id => ({ identifier: { id } }));
    writeFileSync(join(root, 'extensions.json'), JSON.stringify(registered));
    mkdirSync(join(root, `${COMPANION_ID}-0.0.1`));
    const caches = join(root, 'caches');
    const env = { ...process.env, HOME: root, XDG_CACHE_HOME: caches, LOCALAPPDATA: caches };
    const { status, stderr } = spawnSync(process.execPath, [join(outdir, 'uninstall.js')], { env, encoding: 'utf8' });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.deepEqual(JSON.parse(readFileSync(join(root, 'extensions.json'), 'utf8')), registered.slice(1));
    assert.ok(!existsSync(join(root, `${COMPANION_ID}-0.0.1`)));
    if (process.platform === 'linux') assert.ok(existsSync(join(caches, 'hookline'))); // Bytecode was there for a moment.
    assert.deepEqual(
      readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(path => path.includes('bytecode')),
      [],
    );
  });
});
