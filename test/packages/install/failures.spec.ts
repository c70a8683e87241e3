import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deferred } from '../../../src/base/async/wait';
import type { StagedPackage } from '../../../src/packages/install/fetch/staged-package';
import { InstallRig } from './rig';

const SETTINGS = '{ "theme": "dark", "packages": ["npm:pi-tools"] }\n';

describe('an installation that fails', function () {
  this.timeout(30_000);
  let rig: InstallRig;
  /** Has pi-tools installed for the user. */
  let ready: InstallRig;

  async function openRig(): Promise<InstallRig> {
    const opened = await InstallRig.open();
    opened.registry.publish({ name: 'pi-tools', version: '1.0.0', files: { 'extensions/a.ts': '// one' } });
    opened.write('agent/settings.json', SETTINGS);
    return opened;
  }

  before(async () => {
    ready = await openRig();
    await ready.installer.install('npm:pi-tools', 'user', ready.run);
  });
  after(() => ready.close());
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  /** What an installation of pi-tools for the user leaves. */
  const haveTools = (): void => cpSync(ready.agentDir, rig.agentDir, { recursive: true });

  /** Fails with a message, and leaves every byte as it was. */
  async function leavesAll(act: () => Promise<unknown>, message: RegExp): Promise<void> {
    const before = rig.snapshot();
    await assert.rejects(act(), (error: unknown) => {
      assert.match(error instanceof Error ? error.message : String(error), message);
      return true;
    });
    assert.deepEqual(rig.snapshot(), before);
  }

  const install =
    (source: string, scope: 'user' | 'project' = 'user') =>
    () =>
      rig.installer.install(source, scope, rig.run);

  it('says what to do while another window reviews a package', async () => {
    const reviewing = deferred();
    const answer = deferred();
    rig.review = async () => {
      reviewing.resolve();
      await answer.promise;
      return 'install' as const;
    };
    const first = install('npm:pi-tools')();
    await reviewing.promise;
    rig.lockWaitMs = 200;
    await assert.rejects(
      install('npm:pi-tools')(),
      /Another window or program is changing the packages in .*agent\. It may/,
    );
    answer.resolve();
    assert.equal(await first, 'installed');
  });

  describe('leaves everything as it was, with and without packages before it:', () => {
    const steps: readonly {
      readonly at: string;
      readonly prepare: () => void;
      readonly source?: string;
      readonly message: RegExp;
    }[] = [
      { at: 'npm is missing', prepare: () => (rig.npmCommand = ['/nowhere/npm']), message: /npm was not found/ },
      { at: 'the registry is gone', prepare: () => void rig.registry.close(), message: /registry cannot be reached/ },
      {
        at: 'there is no such package',
        prepare: () => undefined,
        source: 'npm:pi-nowhere',
        message: /no such package/,
      },
      {
        at: 'there is no such version',
        prepare: () => undefined,
        source: 'npm:pi-new@9.9.9',
        message: /no such version/,
      },
      {
        at: 'a dependency is missing',
        prepare: () => undefined,
        source: 'npm:pi-half',
        message: /no such package.*pi-lost/,
      },
      {
        at: 'the tarball is another one',
        prepare: () => rig.registry.corrupt('pi-new', '1.0.0'),
        message: /does not match the registry/,
      },
      {
        at: 'the review throws',
        prepare: () => (rig.review = () => Promise.reject(new Error('no preview'))),
        message: /no preview/,
      },
      {
        at: 'an install script fails',
        prepare: () => (rig.review = () => 'installWithScripts'),
        source: 'npm:pi-scripts',
        message: /npm failed/,
      },
      {
        at: 'the approval cannot be written',
        prepare: () => (rig.accepted = () => Promise.reject(new Error('disk full'))),
        message: /disk full/,
      },
      {
        at: 'it cannot be moved to its place',
        prepare: () => (rig.review = spoilStaged),
        message: /ENOENT|ENOTDIR/,
      },
      {
        at: 'it is cancelled during the review',
        prepare: () => {
          rig.review = () => {
            rig.cancel.abort(new Error('cancelled'));
            return 'install';
          };
        },
        message: /cancelled/,
      },
    ];
    const spoilStaged = ([staged]: readonly StagedPackage[]): 'install' => {
      rmSync(join(staged?.folder ?? '', '../..'), { recursive: true });
      return 'install';
    };

    for (const { at, prepare, source = 'npm:pi-new', message } of steps) {
      it(at, async () => {
        const scripts = { postinstall: 'exit 1' };
        rig.registry.publish({ name: 'pi-new', version: '1.0.0' });
        rig.registry.publish({ name: 'pi-half', version: '1.0.0', manifest: { dependencies: { 'pi-lost': '1.0.0' } } });
        rig.registry.publish({ name: 'pi-scripts', version: '1.0.0', manifest: { scripts } });
        haveTools();
        prepare();
        await leavesAll(install(source, 'project'), message);
        if (!rig.cancel.signal.aborted) await leavesAll(install(source, 'user'), message);
      });
    }
  });

  it('is not one that the person says no to, which leaves everything as it was, too', async () => {
    rig.registry.publish({ name: 'pi-new', version: '1.0.0' });
    haveTools();
    rig.registry.publish({ name: 'pi-tools', version: '1.1.0' });
    rig.review = () => 'refuse';
    const before = rig.snapshot();
    for (const scope of ['user', 'project'] as const) assert.equal(await install('npm:pi-new', scope)(), 'refused');
    const report = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual(report, { updated: [], refused: ['npm:pi-tools'], failed: [] });
    assert.deepEqual(rig.snapshot(), before);
  });

  it('is one that is cancelled while it downloads', async () => {
    rig.registry.hold();
    const before = rig.snapshot();
    const installing = rig.installer.install('npm:pi-tools', 'project', rig.run);
    const failed = assert.rejects(installing, /stopped by me/);
    await rig.registry.whenHeld();
    rig.cancel.abort(new Error('stopped by me'));
    await failed;
    assert.deepEqual(rig.snapshot(), before);
  });

  it('is one whose settings cannot be written, also when they break at the last moment', async () => {
    haveTools();
    rig.registry.publish({ name: 'pi-tools', version: '2.0.0' });
    rig.review = () => {
      rig.write('agent/settings.json', '{ "packages": [');
      return 'install';
    };
    await assert.rejects(install('npm:pi-tools@2.0.0')(), /settings\.json is not JSON/);
    assert.equal(rig.read('agent/settings.json'), '{ "packages": [');
    assert.equal(rig.read('agent/npm/node_modules/pi-tools/extensions/a.ts'), '// one');
    rig.write('agent/settings.json', '{ "packages": "npm:pi-tools" }');
    rig.review = () => 'install';
    await leavesAll(install('npm:pi-tools@2.0.0'), /"packages" is not a list/);
  });

  it('is one of a version whose content is another than the lock says', async () => {
    await rig.installer.install('npm:pi-tools', 'user', rig.run);
    rig.registry.publish({ name: 'pi-tools', version: '1.0.0', files: { 'extensions/a.ts': '// evil' } });
    const message = /pi-tools@1\.0\.0 has different content .* the lock says sha512-.*, the registry sha512-/;
    rmSync(join(rig.root, '.npm-cache'), { recursive: true });
    rmSync(join(rig.agentDir, 'npm/node_modules'), { recursive: true });
    await leavesAll(install('npm:pi-tools@1.0.0'), message);
  });

  it('is one of a package that reaches out of its folder', async () => {
    const escaping = [{ path: 'package/../../../../../escaped.txt', text: 'out' }];
    rig.registry.publish({ name: 'pi-escapes', version: '1.0.0', entries: escaping });
    await leavesAll(install('npm:pi-escapes'), /cannot unpack a package: path contains '\.\.'/);
    assert.ok(!existsSync(join(rig.root, 'escaped.txt')));
  });

  it('is one of a source that is no source', async () => {
    for (const source of ['npm:../x', 'npm:a/../../b', 'npm:pi-tools@file:../x', 'npm:x@--registry=y', '']) {
      await leavesAll(install(source), /^Package source ".*": /);
    }
    for (const source of ['git:ext::sh -c touch% x', 'git:--upload-pack=x/y/z', 'git:git.test/a/b@--upload-pack=x']) {
      await leavesAll(install(source), /^Package source ".*": /);
    }
    await leavesAll(install('./nowhere'), /nowhere does not exist/);
  });

  it('leaves no update half done', async () => {
    haveTools();
    rig.registry.publish({ name: 'pi-tools', version: '2.0.0' });
    rig.registry.corrupt('pi-tools', '2.0.0');
    const before = rig.snapshot();
    const { updated, failed } = await rig.installer.update(await rig.declared(), rig.run);
    assert.deepEqual([updated, failed.map(({ written }) => written)], [[], ['npm:pi-tools']]);
    assert.deepEqual(rig.snapshot(), before);
  });

  it('and was killed between two renames is brought in order by the next one', async () => {
    haveTools();
    renameSync(join(rig.agentDir, 'npm'), join(rig.agentDir, '.npm.hookline-old-00000000'));
    mkdirSync(join(rig.agentDir, '.npm.hookline-new-00000000'));
    rig.registry.publish({ name: 'pi-next', version: '1.0.0' });
    await rig.installer.install('npm:pi-next', 'user', rig.run);
    assert.equal(rig.read('agent/npm/node_modules/pi-tools/extensions/a.ts'), '// one');
    assert.deepEqual(
      Object.keys(rig.snapshot()).filter(path => path.includes('hookline-')),
      [],
    );
  });
});
