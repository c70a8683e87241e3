import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { slashed } from '../../../src/base/files/slashed';
import { readInstalled } from '../../../src/packages/installed';
import { NpmClient } from '../../../src/packages/install/fetch/npm-client';
import { npmCommandFrom } from '../../../src/packages/install/fetch/npm-command';
import { InstallRig } from './rig';

const EXTENSION = { 'extensions/main.ts': 'export default () => {};\n' };

describe('npm packages', function () {
  this.timeout(30_000);
  let rig: InstallRig;

  beforeEach(async () => {
    rig = await InstallRig.open();
    rig.registry.publish({ name: 'pi-tools', version: '1.0.0', files: EXTENSION });
  });
  afterEach(() => rig.close());

  it('are installed where pi looks for them, and declared', async () => {
    rig.registry.publish({ name: '@team/dep', version: '2.0.0' });
    rig.registry.publish({
      name: '@team/pi-more',
      version: '1.1.0',
      files: EXTENSION,
      manifest: { dependencies: { '@team/dep': '^2.0.0' }, peerDependencies: { '@earendil-works/pi-ai': '*' } },
    });
    await rig.installer.install('npm:pi-tools', 'user', rig.run);
    await rig.installer.install('npm:@team/pi-more@1.1.0', 'project', rig.run);

    assert.deepEqual(rig.json('agent/settings.json'), { packages: ['npm:pi-tools'] });
    assert.deepEqual(rig.json('project/.pi/settings.json'), { packages: ['npm:@team/pi-more@1.1.0'] });
    assert.equal(rig.read('agent/npm/node_modules/pi-tools/extensions/main.ts'), EXTENSION['extensions/main.ts']);
    assert.equal(rig.read('agent/npm/.gitignore'), '*\n!.gitignore\n');
    assert.deepEqual(rig.json('agent/npm/package.json'), {
      name: 'pi-extensions',
      private: true,
      dependencies: { 'pi-tools': '^1.0.0' },
    });
    const lock = rig.json('agent/npm/package-lock.json') as { packages: Record<string, { integrity?: string }> };
    assert.match(lock.packages['node_modules/pi-tools']?.integrity ?? '', /^sha512-/);
    assert.ok(existsSync(join(rig.cwd, '.pi/npm/node_modules/@team/dep/package.json')), 'dependencies come along');
    assert.ok(!existsSync(join(rig.cwd, '.pi/npm/node_modules/@earendil-works')), 'peers do not');
    const left = Object.keys(rig.snapshot()).filter(path => /hookline-|\.lock$/.test(path));
    assert.deepEqual(left, [], 'nothing is left over');
    assert.ok(rig.told.includes('Installing npm:pi-tools…'));
    assert.ok(rig.told.includes('Downloaded pi-tools-1.0.0.tgz'), rig.told.join());
  });

  it('are installed without what their package.json names outside of them, and a warning says so', async () => {
    const files = {
      'a.ts': EXTENSION['extensions/main.ts'],
      'skills/own/SKILL.md': '---\nname: own\ndescription: d\n---\n',
      'prompts/p.md': 'text',
      'themes/t.json': '{}',
    };
    const outside = { extensions: '../other.ts', skills: '../../../skills', prompts: '/etc', themes: '!../t.json' };
    const inside = { extensions: './a.ts', skills: './skills', prompts: './prompts', themes: './themes' };
    const kinds = Object.keys(inside) as (keyof typeof inside)[];
    const pi = Object.fromEntries(kinds.map(kind => [kind, [outside[kind], inside[kind]]]));
    const manifest = { pi: { ...pi, changelogPath: '../../CHANGES.md' } };
    rig.registry.publish({ name: 'pi-points', version: '1.0.0', files, manifest });
    rig.write('agent/npm/node_modules/other.ts', EXTENSION['extensions/main.ts']);
    assert.equal(await rig.installer.install('npm:pi-points', 'user', rig.run), 'installed');
    const warned = rig.told.filter(text => text.includes('outside of the package'));
    assert.deepEqual(
      warned,
      [...Object.entries(outside), ['changelogPath', '../../CHANGES.md']].map(
        ([kind, path]) =>
          `npm:pi-points: "pi.${kind}" of its package.json points outside of the package, so it is left out: ${path}`,
      ),
    );
    const [declared] = await rig.declared();
    assert.ok(declared);
    const installed = await readInstalled(declared);
    assert.ok(!('problem' in installed));
    assert.deepEqual(
      installed.parts.map(({ kind, path }) => [kind, slashed(relative(declared.folder, path))]),
      [
        ['extensions', 'a.ts'],
        ['skills', 'skills/own/SKILL.md'],
        ['prompts', 'prompts/p.md'],
        ['themes', 'themes/t.json'],
      ],
    );
    assert.equal(installed.changelog, undefined);
  });

  it('run no install script, unless the person says so', async () => {
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('ran.txt', '')\"" };
    for (const name of ['quiet', 'loud', 'dep-of-loud']) {
      const dependencies = name === 'loud' ? { 'dep-of-loud': '1.0.0' } : {};
      rig.registry.publish({ name, version: '1.0.0', manifest: { scripts, dependencies } });
    }
    const ran = (name: string): boolean => existsSync(join(rig.agentDir, 'npm/node_modules', name, 'ran.txt'));
    await rig.installer.install('npm:quiet', 'user', rig.run);
    assert.deepEqual(rig.reviewed.at(-1)?.scripts, ['quiet@1.0.0']);
    assert.equal(ran('quiet'), false);
    rig.review = () => 'installWithScripts';
    await rig.installer.install('npm:loud', 'user', rig.run);
    assert.deepEqual([...(rig.reviewed.at(-1)?.scripts ?? [])].sort(), ['dep-of-loud@1.0.0', 'loud@1.0.0']);
    assert.deepEqual([ran('loud'), ran('dep-of-loud'), ran('quiet')], [true, true, false]);
  });

  it('are accepted with what their scripts made of them, before they are in their place', async () => {
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('ran.txt', '')\"" };
    rig.registry.publish({ name: 'loud', version: '1.0.0', manifest: { scripts } });
    rig.review = () => 'installWithScripts';
    const accepted: (readonly boolean[])[] = [];
    rig.accepted = ([staged]) => {
      const place = join(rig.agentDir, 'npm/node_modules/loud');
      accepted.push([existsSync(join(staged?.folder ?? '', 'ran.txt')), existsSync(place)]);
    };
    await rig.installer.install('npm:loud', 'user', rig.run);
    assert.deepEqual(accepted, [[true, false]]);
  });

  it('are shown to the review as they are, before anything is in its place', async () => {
    await rig.installer.install('npm:pi-tools@1.0.0', 'user', rig.run);
    rig.registry.publish({ name: 'pi-tools', version: '2.0.0', files: { 'extensions/main.ts': '// two' } });
    rig.review = ([staged]) => {
      assert.ok(staged);
      assert.equal(staged.replaces, join(rig.agentDir, 'npm/node_modules/pi-tools'));
      assert.ok(existsSync(join(staged.folder, 'extensions/main.ts')));
      assert.equal(rig.read('agent/npm/node_modules/pi-tools/extensions/main.ts'), EXTENSION['extensions/main.ts']);
      assert.deepEqual(rig.json('agent/settings.json'), { packages: ['npm:pi-tools@1.0.0'] });
      return 'install';
    };
    await rig.installer.install('npm:pi-tools@2.0.0', 'user', rig.run);
    assert.equal(rig.reviewed.length, 2);
    assert.deepEqual(rig.json('agent/settings.json'), { packages: ['npm:pi-tools@2.0.0'] });
    assert.equal(rig.read('agent/npm/node_modules/pi-tools/extensions/main.ts'), '// two');
  });

  it('are put into the project that a link leads to', async () => {
    mkdirSync(join(rig.root, 'elsewhere'));
    mkdirSync(rig.agentDir);
    symlinkSync(join(rig.root, 'elsewhere'), join(rig.agentDir, 'npm'));
    await rig.installer.install('npm:pi-tools', 'user', rig.run);
    assert.ok(existsSync(join(rig.root, 'elsewhere/node_modules/pi-tools/package.json')));
  });

  it('are updated unless they are pinned', async () => {
    rig.registry.publish({ name: 'pi-pinned', version: '1.0.0' });
    rig.registry.publish({ name: 'pi-range', version: '1.0.0' });
    await rig.installer.install('npm:pi-tools', 'user', rig.run);
    await rig.installer.install('npm:pi-pinned@1.0.0', 'user', rig.run);
    await rig.installer.install('npm:pi-range@^1.0.0', 'project', rig.run);
    for (const name of ['pi-tools', 'pi-pinned', 'pi-range']) {
      rig.registry.publish({ name, version: '1.5.0' });
      rig.registry.publish({ name, version: '2.0.0' });
    }
    const settings = [rig.read('agent/settings.json'), rig.read('project/.pi/settings.json')];
    const { updated, failed } = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual(failed, []);
    assert.deepEqual(
      updated.map(({ declared, from, to }) => [declared.written, from, to]),
      [
        ['npm:pi-tools', '1.0.0', '2.0.0'],
        ['npm:pi-range@^1.0.0', '1.0.0', '1.5.0'],
      ],
    );
    assert.deepEqual([rig.read('agent/settings.json'), rig.read('project/.pi/settings.json')], settings);
    const again = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual(again, { updated: [], refused: [], failed: [] });
  });

  it('are installed by an update when they are declared and missing, or pinned at another version', async () => {
    await rig.installer.install('npm:pi-tools@1.0.0', 'user', rig.run);
    rig.registry.publish({ name: 'pi-tools', version: '1.2.0' });
    rig.registry.publish({ name: 'pi-lost', version: '3.0.0' });
    rig.write('agent/settings.json', '{"packages": ["npm:pi-tools@1.2.0", "npm:pi-lost@3.0.0", "npm:pi-nowhere"]}');
    const { updated, failed } = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual(updated, [], 'one project holds all three, and one cannot be had');
    assert.match(failed[0]?.message ?? '', /pi-nowhere/);
    rig.write('agent/settings.json', '{"packages": ["npm:pi-tools@1.2.0", "npm:pi-lost@3.0.0"]}');
    const next = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual(
      next.updated.map(({ from, to }) => [from, to]),
      [
        ['1.0.0', '1.2.0'],
        [undefined, '3.0.0'],
      ],
    );
  });

  it('are up to date with the release that npm installs for a range: the latest one, if the range has it', async () => {
    rig.registry.publish({ name: 'pi-fixed', version: '1.2.0' });
    rig.registry.publish({ name: 'pi-fixed', version: '1.1.1' });
    await rig.installer.install('npm:pi-fixed@^1.0.0', 'user', rig.run);
    const [fixed] = await rig.declared();
    assert.ok(fixed);
    assert.deepEqual(await rig.installer.check(fixed, rig.cancel.signal), { type: 'current' });
    const { npm, cancel } = rig;
    assert.equal(await npm.newestVersion('pi-fixed@1.2.x', cancel.signal), '1.2.0');
    assert.equal(await npm.newestVersion('pi-fixed', cancel.signal), '1.1.1');
  });

  it('are removed without what stands beside them', async () => {
    rig.registry.publish({ name: 'pi-other', version: '1.0.0' });
    rig.write(
      'agent/settings.json',
      '{\n\t"ofSomebody": [1,2],\n\t"packages": [{"source": "npm:pi-tools", "x": 1}]\n}\n',
    );
    await rig.installer.install('npm:pi-tools', 'user', rig.run);
    await rig.installer.install('npm:pi-other', 'user', rig.run);
    const [tools] = await rig.declared();
    assert.ok(tools);
    await rig.installer.remove(tools, 'user', rig.run);
    assert.ok(!existsSync(join(rig.agentDir, 'npm/node_modules/pi-tools')));
    assert.ok(existsSync(join(rig.agentDir, 'npm/node_modules/pi-other')));
    assert.match(
      rig.read('agent/settings.json'),
      /^\{\n\t"ofSomebody": \[1,2\],\n\t"packages": \[\s*"npm:pi-other"\s*\]\n\}\n$/,
    );
    const [other] = await rig.declared();
    assert.ok(other);
    rmSync(join(rig.agentDir, 'npm'), { recursive: true });
    await rig.installer.remove(other, 'user', rig.run);
    assert.match(rig.read('agent/settings.json'), /"packages": \[\s*\]/, 'also when nothing is installed');
  });

  it('are asked for without the settings of the opened folder, which may be of a stranger', async () => {
    rig.registry.publish({ name: '@own/tools', version: '1.0.0' });
    await rig.installer.install('npm:@own/tools', 'user', rig.run);
    rig.registry.publish({ name: '@own/tools', version: '1.1.0' });
    rig.write('project/package.json', '{}');
    rig.write('project/.npmrc', '@own:registry=http://127.0.0.1:1/${HOME}/\n');
    const [tools] = await rig.declared();
    assert.ok(tools);
    const state = await rig.installer.check(tools, rig.cancel.signal);
    assert.deepEqual(state, { type: 'outdated', from: '1.0.0', to: '1.1.0' });
  });

  it('are told with who published them, and when', async () => {
    const { npm, cancel } = rig;
    assert.deepEqual(await npm.release('pi-tools', '1.0.0', cancel.signal), {
      publisher: 'tester',
      published: '2026-01-02T03:04:05.000Z',
    });
    await assert.rejects(npm.release('pi-nowhere', '1.0.0', cancel.signal), /no such package/);
  });

  it('are found by the keyword of pi', async () => {
    rig.registry.publish({
      name: 'pi-a',
      version: '1.0.0',
      manifest: { keywords: ['pi-package'], description: 'Does a' },
    });
    rig.registry.publish({ name: 'pi-b', version: '1.2.0', manifest: { keywords: ['pi-package', 'git'] } });
    const { npm } = rig;
    const found = await npm.search('', rig.cancel.signal);
    assert.deepEqual(
      found.map(({ name, version, description }) => [name, version, description]),
      [
        ['pi-a', '1.0.0', 'Does a'],
        ['pi-b', '1.2.0', ''],
      ],
    );
    assert.deepEqual(
      (await npm.search('git --registry=http://127.0.0.1:1', rig.cancel.signal)).map(({ name }) => name),
      ['pi-b'],
    );
  });

  it('are not said to be missing where the registry has no search', async () => {
    rig.registry.stopSearching();
    await assert.rejects(rig.npm.search('tools', rig.cancel.signal), {
      message: 'This registry has no search.',
    });
  });

  it('say at once that the registry cannot be reached, also when npm is set to try again', async () => {
    const env = { ...rig.env, npm_config_registry: 'http://127.0.0.1:1', npm_config_fetch_retries: '2' };
    const npm = new NpmClient(() => npmCommandFrom(rig.npmCommand), env);
    const { signal } = rig.cancel;
    const isTold = { message: /^The npm registry cannot be reached: .*127\.0\.0\.1:1/ };
    await assert.rejects(npm.search('tools', signal), isTold);
    await assert.rejects(npm.newestVersion('pi-tools', signal), isTold);
    await assert.rejects(npm.release('pi-tools', '1.0.0', signal), isTold);
  });
});
