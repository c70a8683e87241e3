import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitClient } from '../../../src/packages/install/fetch/git-client';
import { rememberEnvironment } from '../../support/environment';
import { InstallRig } from './rig';

const FILES = { 'extensions/a.ts': '// one', 'package.json': '{"name":"tool","version":"1.0.0"}' };

describe('git packages', function () {
  this.timeout(30_000);
  let rig: InstallRig;
  const at = (...parts: string[]): string => join(rig.agentDir, 'git/git.test', ...parts);

  beforeEach(async () => {
    rig = await InstallRig.open();
    rig.git.commit('team/tool', FILES);
  });
  afterEach(() => rig.close());

  it('are cloned where pi looks for them, with their dependencies and without scripts', async () => {
    for (const name of ['dep', 'for-authors']) rig.registry.publish({ name, version: '1.0.0' });
    const manifest = {
      name: 'tool',
      version: '1.1.0',
      dependencies: { dep: '^1.0.0' },
      devDependencies: { 'for-authors': '1.0.0' },
      scripts: { postinstall: "node -e \"require('fs').writeFileSync('ran.txt', '')\"" },
    };
    rig.git.commit('team/tool', { 'package.json': JSON.stringify(manifest) });
    await rig.installer.install('git:git.test/team/tool', 'user', rig.run);
    assert.deepEqual(rig.json('agent/settings.json'), { packages: ['git:git.test/team/tool'] });
    assert.equal(rig.read('agent/git/.gitignore'), '*\n!.gitignore\n');
    assert.ok(existsSync(at('team/tool/node_modules/dep/package.json')));
    assert.ok(!existsSync(at('team/tool/node_modules/for-authors')), 'what only its authors need does not come');
    assert.ok(!existsSync(at('team/tool/ran.txt')));
    assert.deepEqual(rig.reviewed[0]?.scripts, ['tool@1.1.0']);
    const { publisher, published } = await new GitClient(rig.env).lastChange(at('team/tool'), rig.cancel.signal);
    assert.equal(publisher, 'Tester');
    assert.match(published ?? '', /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(await new GitClient(rig.env).lastChange(rig.root, rig.cancel.signal), {});
    rig.review = () => 'installWithScripts';
    await rig.installer.install('git:git.test/team/tool', 'project', rig.run);
    assert.ok(existsSync(join(rig.cwd, '.pi/git/git.test/team/tool/ran.txt')));
  });

  it('change nothing in the repository that the variables of a git hook name', async () => {
    const theirs = join(rig.root, 'theirs');
    const run = (...args: string[]): string => execFileSync('git', args, { cwd: theirs, encoding: 'utf8' });
    mkdirSync(theirs);
    run('init', '--quiet');
    writeFileSync(join(theirs, 'staged.txt'), 'staged');
    run('add', '.');
    const state = (): readonly unknown[] => [
      readFileSync(join(theirs, '.git', 'index')),
      readdirSync(join(theirs, '.git'), { recursive: true }).toSorted(),
    ];
    const before = state();
    const index = join(theirs, '.git', 'index');
    const restore = rememberEnvironment();
    Object.assign(process.env, { GIT_DIR: join(theirs, '.git'), GIT_WORK_TREE: theirs, GIT_INDEX_FILE: index });
    try {
      await rig.installer.install('git:git.test/team/tool', 'user', rig.run);
    } finally {
      restore();
    }
    assert.ok(existsSync(at('team/tool/extensions/a.ts')));
    assert.deepEqual(state(), before);
  });

  it('follow their branch, and stay at a tag or commit', async () => {
    rig.git.git('team/tool', 'tag', 'v1');
    rig.git.commit('team/by-branch', FILES, 'next');
    rig.git.commit('team/by-commit', FILES);
    const commit = rig.git.git('team/by-commit', 'rev-parse', 'HEAD').trim();
    rig.git.commit('team/main', FILES);
    const sources = ['tool@v1', 'by-branch@next', `by-commit@${commit}`, 'main'].map(
      name => `git:git.test/team/${name}`,
    );
    for (const source of sources) await rig.installer.install(source, 'user', rig.run);
    const current = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual(current, { updated: [], refused: [], failed: [] });

    const later = { 'extensions/a.ts': '// two' };
    rig.git.commit('team/tool', later);
    rig.git.git('team/tool', 'tag', '--force', 'v1');
    rig.git.commit('team/by-branch', later, 'next');
    rig.git.commit('team/by-commit', later);
    const newest = rig.git.commit('team/main', later);
    const { updated, failed } = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual(failed, []);
    assert.deepEqual(
      updated.map(({ declared }) => declared.written),
      ['git:git.test/team/by-branch@next', 'git:git.test/team/main'],
    );
    assert.equal(updated[1]?.to, newest);
    const text = (name: string): string => rig.read(`agent/git/git.test/team/${name}/extensions/a.ts`);
    assert.deepEqual(['tool', 'by-branch', 'by-commit', 'main'].map(text), ['// one', '// two', '// one', '// two']);

    rig.write('agent/settings.json', '{"packages": ["git:git.test/team/tool@main"]}');
    const moved = await rig.installer.update(await rig.declared(), rig.run);
    assert.equal(moved.updated.length, 1, 'another ref in the settings moves the checkout');
    assert.equal(text('tool'), '// two');
  });

  it('are made whole again where pi was stopped, or a dependency is gone', async () => {
    await rig.installer.install('git:git.test/team/tool', 'user', rig.run);
    writeFileSync(at('team/.tool.pi-update-incomplete'), '');
    writeFileSync(at('team/tool/half.txt'), '');
    const { updated } = await rig.installer.update(await rig.declared(), rig.run);
    assert.equal(updated.length, 1);
    assert.deepEqual(
      ['.tool.pi-update-incomplete', 'tool/half.txt'].map(name => existsSync(at('team', name))),
      [false, false],
    );
  });

  it('are removed with the folders that only they were in', async () => {
    rig.git.commit('other/tool', FILES);
    await rig.installer.install('git:git.test/team/tool', 'user', rig.run);
    await rig.installer.install('git:git.test/other/tool', 'user', rig.run);
    const [first, second] = await rig.declared();
    assert.ok(first && second);
    await rig.installer.remove(first, 'user', rig.run);
    assert.deepEqual([existsSync(at('team')), existsSync(at('other/tool'))], [false, true]);
    await rig.installer.remove(second, 'user', rig.run);
    assert.deepEqual([existsSync(at()), existsSync(join(rig.agentDir, 'git/.gitignore'))], [false, true]);
    assert.deepEqual(rig.json('agent/settings.json'), { packages: [] });
  });

  it('that cannot be used leave nothing behind', async () => {
    const folder = join(rig.root, 'repositories/bad/links');
    const refused = async (source: string, message: RegExp): Promise<void> => {
      const before = rig.snapshot();
      await assert.rejects(rig.installer.install(source, 'project', rig.run), message);
      assert.deepEqual(rig.snapshot(), before);
    };
    await refused('git:git.test/team/nowhere', /git clone failed: .*does not .*exist|git clone failed/);
    await refused('git:git.test/team/tool@v9', /git checkout failed: .*v9/);
    rig.git.commit('bad/manifest', { 'package.json': '{ "name": ' });
    await refused('git:git.test/bad/manifest', /package\.json cannot be read/);
    mkdirSync(folder, { recursive: true });
    symlinkSync('.', join(folder, 'again'));
    rig.git.commit('bad/links', FILES);
    await refused('git:git.test/bad/links', /the link again points to a folder that contains it/);
    rig.git.git('bad/links', 'rm', '--quiet', 'again');
    symlinkSync('around', join(folder, 'around'));
    rig.git.commit('bad/links', {});
    await refused('git:git.test/bad/links', /the link around points to itself/);
    rig.git.git('bad/links', 'rm', '--quiet', 'around');
    symlinkSync('../../../../../../etc', join(folder, 'out'));
    rig.git.commit('bad/links', {});
    await refused('git:git.test/bad/links', /the link out points outside of the package/);
  });

  it('do not choose registries or programs for npm before they are approved', async () => {
    const ran = join(rig.root, 'ran.txt');
    const evil = `#!/bin/sh\necho "$@" >> '${ran}'\nexec git "$@"\n`;
    const program = { 'evil.sh': evil, '.npmrc': 'git=./evil.sh\n@own:registry=http://127.0.0.1:1/${HOME}/\n' };
    const manifest = (dependencies: object): string =>
      JSON.stringify({ name: 'x', version: '1.0.0', dependencies, scripts: { prepare: 'echo' } });
    rig.git.commit('team/lower', FILES);
    const lower = { lower: 'git+https://git.test/team/lower' };
    rig.git.commit('team/dep', { ...program, 'package.json': manifest(lower) });
    const dependencies = { dep: 'git+https://git.test/team/dep', '@own/data': '1.0.0' };
    const settings = { 'pnpm-workspace.yaml': 'x', '.pnpmfile.cjs': 'y', ...program };
    rig.git.commit('team/tool', { ...settings, 'package.json': manifest(dependencies) });
    for (const name of ['dep', 'tool']) rig.git.git(`team/${name}`, 'update-index', '--chmod=+x', 'evil.sh');
    for (const name of ['dep', 'tool']) rig.git.git(`team/${name}`, 'commit', '--quiet', '--message', 'Executable');
    rig.registry.publish({ name: '@own/data', version: '1.0.0' });
    await rig.installer.install('git:git.test/team/tool', 'user', rig.run);
    assert.ok(!existsSync(ran));
    assert.ok(existsSync(at('team/tool/node_modules/dep/package.json')));
    assert.ok(existsSync(at('team/tool/node_modules/@own/data/package.json')));
    for (const [name, text] of Object.entries(settings)) {
      assert.equal(rig.read(`agent/git/git.test/team/tool/${name}`), text);
    }
    assert.equal(rig.git.git('../agent/git/git.test/team/tool', 'status', '--short', '--untracked-files=no'), '');
  });

  it('that are only tried lie in places of their own, and are brought up to date', async () => {
    const { readDeclarations } = await import('../../../src/packages/declared');
    const places = { agentDir: rig.agentDir, cwd: rig.cwd };
    rig.registry.publish({ name: 'pi-tried', version: '1.0.0', files: { 'extensions/a.ts': '// one' } });
    const temporary = ['git:git.test/team/tool', 'npm:pi-tried'];
    const { packages } = readDeclarations({ places, lists: [], temporary });
    const texts = async (): Promise<string[]> => {
      for (const declared of packages) await rig.installer.installTemporary(declared, rig.run);
      return packages.map(({ folder }) => rig.read(join(folder.slice(rig.root.length + 1), 'extensions/a.ts')));
    };
    assert.deepEqual(await texts(), ['// one', '// one']);
    assert.equal(statSync(join(rig.agentDir, 'tmp/extensions')).mode & 0o777, 0o700);
    rig.git.commit('team/tool', { 'extensions/a.ts': '// two' });
    rig.registry.publish({ name: 'pi-tried', version: '1.0.1', files: { 'extensions/a.ts': '// two' } });
    assert.deepEqual(await texts(), ['// two', '// two']);
    await rig.registry.close();
    assert.deepEqual(await texts(), ['// two', '// two'], 'what is there is used when nobody can be asked');
    assert.ok(!existsSync(join(rig.agentDir, 'settings.json')));
  });
});
