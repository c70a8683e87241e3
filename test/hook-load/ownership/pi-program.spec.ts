import assert from 'node:assert/strict';
import type * as childProcess from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { LiveScope } from '../../../src/hook-load/ownership/live-scope';
import { PiProgram } from '../../../src/hook-load/ownership/pi-program';

/** A copy of the shipped programs beside a command line that prints what it was started with. */
function installation(): { readonly script: string; readonly folder: string } {
  const root = mkdtempSync(join(tmpdir(), 'pi-program-'));
  const folder = join(root, 'media', 'bin');
  cpSync(join('media', 'bin'), folder, { recursive: true });
  mkdirSync(join(root, 'dist'));
  const script = join(root, 'dist', 'cli.js');
  writeFileSync(script, 'console.log(JSON.stringify(process.argv.slice(2)));');
  return { script, folder };
}

function scopeWith(pi: PiProgram): LiveScope {
  return new LiveScope({ owner: '/h.ts', onDidThrow: error => assert.ifError(error), pi });
}

type ChildProcess = typeof childProcess;

describe('what hooks find as pi', () => {
  it('is our command line by name, however the process is started', async () => {
    const scope = scopeWith(new PiProgram(installation()));
    const { spawnSync, execFileSync: execFile, execSync } = scope.builtin('child_process') as ChildProcess;
    assert.equal(spawnSync('pi', ['-p', 'a b'], { encoding: 'utf8' }).stdout, '["-p","a b"]\n');
    assert.equal(execFile('pi', ['x'], { encoding: 'utf8', env: { PATH: '/nowhere:/usr/bin:/bin' } }), '["x"]\n');
    assert.equal(
      execSync('pi "$HOME x"', { encoding: 'utf8', env: { HOME: '/h', PATH: '/usr/bin:/bin' } }),
      '["/h x"]\n',
    );
    await scope.release();
  });

  it('is found although the file is no program any more', () => {
    const files = installation();
    chmodSync(join(files.folder, 'pi'), 0o644);
    const pi = new PiProgram(files);
    assert.equal(statSync(join(files.folder, 'pi')).mode & 0o111, 0o111);
    const env = { ...process.env, ...pi.variablesFor(process.env, 'pi') };
    assert.equal(execFileSync('pi', ['y'], { encoding: 'utf8', env }), '["y"]\n');
  });

  it('is what process.argv names, in the editor as well', async () => {
    const files = installation();
    const scope = scopeWith(new PiProgram(files));
    const { argv, execPath } = scope.builtin('process') as NodeJS.Process;
    assert.deepEqual(argv, [process.execPath, files.script]);
    const { spawnSync } = scope.builtin('child_process') as ChildProcess;
    assert.equal(
      spawnSync(execPath, [argv[1] ?? '', '--mode', 'json'], { encoding: 'utf8' }).stdout,
      '["--mode","json"]\n',
    );
    await scope.release();
  });

  it('leaves the arguments of the command line itself as they are', () => {
    const script = process.argv[1] ?? assert.fail();
    assert.equal(new PiProgram({ script, folder: installation().folder }).argv, process.argv);
  });

  it('comes before what is on PATH, under the name that the environment has for it', () => {
    const files = installation();
    const pi = new PiProgram(files);
    assert.equal(pi.variablesFor({ Path: '/x' }, 'pi')['Path'], `${files.folder}${delimiter}/x`);
    assert.equal(pi.variablesFor({}, 'pi')['PATH'], files.folder);
  });
});
