import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lookEarly } from '../../../src/packages/approval/early-looks';
import { packageContent } from '../../../src/packages/approval/package-content';
import { readDeclarations } from '../../../src/packages/declared';
import { readManifest } from '../../../src/packages/manifest';

describe('early looks at packages', () => {
  let agentDir = '';
  beforeEach(async () => {
    agentDir = await mkdtemp(join(tmpdir(), 'early-'));
  });
  afterEach(() => rm(agentDir, { recursive: true, force: true }));

  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(agentDir, name)), { recursive: true });
    await writeFile(join(agentDir, name), text);
  }

  it('find what a later look finds, for each package that is installed for the user', async () => {
    const places = { agentDir, cwd: agentDir };
    const needs = { dependencies: { dep: '1' }, optionalDependencies: { '@org/other': '1', missing: '1' } };
    await write('npm/node_modules/acme/package.json', JSON.stringify(needs));
    await write('npm/node_modules/acme/index.ts', '1');
    await write('npm/node_modules/dep/index.js', '2');
    await write('npm/node_modules/@org/other/index.js', '3');
    await write('git/host.example/owner/repo/package.json', '{}');
    await write('git/host.example/owner/repo/index.ts', '4');
    await symlink(join(agentDir, 'npm/node_modules/acme'), join(agentDir, 'npm/node_modules/linked'));
    await write('local/index.ts', '5');
    const sources = ['npm:acme@1', 'git:host.example/owner/repo', 'npm:linked', './local', 'npm:missing', 'npm:', ''];
    const began = Date.now();
    const looks = await lookEarly(sources, places);
    assert.equal(looks.length, 3);
    const from = join(agentDir, 'settings.json');
    const { packages } = readDeclarations({
      places,
      lists: [{ entries: sources.slice(0, 3), from, base: agentDir, scope: 'user' }],
    });
    for (const [index, { folder }] of packages.entries()) {
      const { dependencies } = await readManifest(folder, []);
      const { signature } = await packageContent(folder, dependencies);
      const { at = 0, ...look } = looks[index] ?? {};
      assert.deepEqual(look, { folder, dependencies, signature });
      assert.ok(at >= began && at <= Date.now());
    }
  });
});
