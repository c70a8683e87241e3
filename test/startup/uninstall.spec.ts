import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostOptions } from '../../scripts/build/options.ts';
import { buildScripts } from '../../scripts/build/write-scripts.ts';

describe('the program that VS Code runs after an uninstall', function () {
  this.timeout(60_000);
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-uninstall-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  it('removes the bytecode of our code, also its own, and leaves the list of extensions to VS Code', async () => {
    const outdir = join(root, 'hookline', 'dist');
    const options = hostOptions({ production: false, outdir });
    await buildScripts({ ...options, entryPoints: { uninstall: options.entryPoints['uninstall'] ?? '' } });
    const registry = join(root, 'extensions.json');
    const listed = '[{"identifier":{"id":"hookline.hook-commands"}}]';
    writeFileSync(registry, listed);
    const caches = join(root, 'caches');
    const env = { ...process.env, HOME: root, XDG_CACHE_HOME: caches, LOCALAPPDATA: caches };
    const { status, stderr } = spawnSync(process.execPath, [join(outdir, 'uninstall.js')], { env, encoding: 'utf8' });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.equal(readFileSync(registry, 'utf8'), listed);
    if (process.platform === 'linux') assert.ok(existsSync(join(caches, 'hookline'))); // Bytecode was there for a moment.
    assert.deepEqual(
      readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(path => path.includes('bytecode')),
      [],
    );
  });
});
