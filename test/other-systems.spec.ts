import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processStart } from '../src/agent/session/file/process-start';
import { writtenKey } from '../src/hook-contract/ui/key-hints';
import { browserOpener } from '../src/modes/terminal/open-browser';
import { packageIdentity, parsePackageSource } from '../src/packages/package-source';
import { approvalPlaces } from '../src/startup/approval-places';
import { cacheFolder, stateFolder } from '../src/startup/own-folders';
import { newAddress } from '../src/startup/parent/parent-server';

describe('the rules of other systems', () => {
  it('make the address for agents a pipe on Windows, and a short path of a socket elsewhere', () => {
    assert.match(newAddress('win32').address, /^\\\\\.\\pipe\\hookline-[0-9a-f]{16}$/);
    assert.equal(newAddress('win32').folder, undefined);
    assert.notEqual(newAddress('win32').address, newAddress('win32').address);
    const { address, folder } = newAddress('darwin');
    assert.ok(folder !== undefined && dirname(address) === folder);
    assert.ok(Buffer.byteLength(address) <= 103);
    rmSync(folder, { recursive: true });
  });

  it('compare the paths of packages without regard to case on Windows only', () => {
    const identity = (path: string, platform: NodeJS.Platform): string => {
      const parsed = parsePackageSource(path, '/work/.pi', '/home/u');
      assert.ok(parsed.ok);
      return packageIdentity(parsed.value, platform);
    };
    assert.equal(identity('./Pack', 'win32'), identity('./pack', 'win32'));
    assert.notEqual(identity('./Pack', 'linux'), identity('./pack', 'linux'));
    assert.notEqual(identity('npm:Pack', 'win32'), identity('npm:pack', 'win32'));
  });

  it('open the browser with the address as one argument', () => {
    const href = 'https://example.org/?a=1&b=%20';
    assert.deepEqual(browserOpener(href, 'darwin'), ['open', href]);
    assert.deepEqual(browserOpener(href, 'win32'), ['rundll32', 'url.dll,FileProtocolHandler', href]);
    assert.deepEqual(browserOpener(href, 'linux'), ['xdg-open', href]);
  });

  it('know /tmp only where there is one', () => {
    const temporary = (platform: NodeJS.Platform): readonly string[] => approvalPlaces([], [], platform).temporary;
    assert.deepEqual([temporary('win32').length, temporary('darwin').length], [1, 3]);
    assert.equal(approvalPlaces([], [], 'win32').platform, 'win32');
  });

  it('place what Hookline stores where the system wants it', () => {
    const folders = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}): readonly string[] =>
      [cacheFolder, stateFolder].map(folder => folder(env, platform, '/home/u'));
    assert.deepEqual(folders('linux'), [
      join('/home/u', '.cache', 'hookline'),
      join('/home/u', '.local', 'state', 'hookline'),
    ]);
    assert.deepEqual(folders('linux', { XDG_CACHE_HOME: '/c', XDG_STATE_HOME: '/s' }), [
      join('/c', 'hookline'),
      join('/s', 'hookline'),
    ]);
    // What is relative would be in the folder that the agent works in, where a repository can plant compiled hooks.
    for (const path of ['', '.', 'cache']) {
      assert.deepEqual(folders('linux', { XDG_CACHE_HOME: path, XDG_STATE_HOME: path }), folders('linux'));
    }
    assert.deepEqual(folders('darwin'), [
      join('/home/u', 'Library', 'Caches', 'hookline'),
      join('/home/u', 'Library', 'Application Support', 'hookline'),
    ]);
    assert.deepEqual(folders('win32', { LOCALAPPDATA: '/local' }), [
      join('/local', 'hookline'),
      join('/local', 'hookline', 'state'),
    ]);
    assert.deepEqual(folders('win32')[0], join('/home/u', 'AppData', 'Local', 'hookline'));
  });

  it('write keys as macOS does', () => {
    assert.equal(writtenKey('alt+enter', 'darwin'), 'option+enter');
    assert.equal(writtenKey('alt+enter', 'win32'), 'alt+enter');
  });

  it('tell no start of a process on Windows', async () => {
    assert.equal(await processStart(process.pid, 'win32'), undefined);
  });
});
