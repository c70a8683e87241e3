import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestPlace, type TestPlace } from '../../scripts/support/test-place.ts';
import { installExtension, startServer, uninstallExtension } from '../../scripts/vscode-server.ts';
import { cacheFolder } from '../../src/startup/own-folders';
import { COMPANION_ID, companionManifest } from '../../src/vscode/palette/companion-manifest';
import { storedZip } from '../../src/vscode/palette/stored-zip';
import { installedExtensions } from './support/vs-code';
import { waitFor } from './support/workbench';

describe('uninstalling Hookline', () => {
  let place: TestPlace;
  before(() => {
    place = makeTestPlace();
    cpSync(installedExtensions(), place.extensionsDir, { recursive: true });
  });
  after(() => place.remove());

  const names = (): readonly string[] => readdirSync(place.extensionsDir).map(name => name.replace(/-[\d.]+$/, ''));
  const vsixOf = (manifest: object): string => {
    const file = join(place.root, 'extension.vsix');
    writeFileSync(file, storedZip('extension/package.json', Buffer.from(JSON.stringify(manifest))));
    return file;
  };

  it('finds the program of the manifest, which has no other script, in the installed folder', () => {
    const name = readdirSync(place.extensionsDir).find(each => each.startsWith('hookline.hookline-'));
    const folder = join(place.extensionsDir, name ?? '');
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Readonly<
      Record<string, unknown>
    >;
    assert.deepEqual(manifest['scripts'], { 'vscode:uninstall': 'node ./dist/uninstall.js' });
    assert.ok(!('private' in manifest));
    assert.ok(existsSync(join(folder, 'dist', 'uninstall.js')));
    assert.doesNotMatch(readFileSync(join(folder, 'readme.md'), 'utf8'), /\]\((?!https:|#)/);
  });

  it('removes the bytecode of our code, and no other extension', async () => {
    const other = { name: 'other', publisher: 'somebody', version: '1.0.0', engines: { vscode: '^1.80.0' } };
    for (const manifest of [companionManifest([]), other]) {
      await installExtension({ ...place, vsixes: [vsixOf(manifest)] });
    }
    const bytecode = join(cacheFolder(place.env, process.platform, place.home), 'bytecode');
    mkdirSync(bytecode, { recursive: true });
    await uninstallExtension('hookline.hookline', place);
    const server = await startServer(place);
    try {
      await waitFor(() => Promise.resolve(existsSync(bytecode) ? undefined : true), {
        what: 'the bytecode to be gone',
      });
      await waitFor(() => Promise.resolve(names().includes('hookline.hookline') ? undefined : true), {
        what: 'Hookline to be gone',
      });
    } finally {
      await server.stop();
    }
    const registry = readFileSync(join(place.extensionsDir, 'extensions.json'), 'utf8');
    assert.doesNotMatch(registry, /"id":"hookline\.hookline"/);
    for (const id of [COMPANION_ID, 'somebody.other']) {
      assert.ok(registry.includes(`"id":"${id}"`), id);
      assert.ok(names().includes(id), id);
    }
  });
});
