import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rollback } from '../../../../src/packages/install/rollback';
import {
  dependencyArgs,
  installArgs,
  npmCommandFrom,
  uninstallArgs,
} from '../../../../src/packages/install/fetch/npm-command';
import {
  changedIntegrity,
  newInstallScripts,
  type LockedPackage,
} from '../../../../src/packages/install/fetch/npm-lock';
import { callProgram } from '../../../../src/packages/install/fetch/programs';
import { compareVersions, isExactVersion } from '../../../../src/packages/install/version-order';

describe('the progress of a program', () => {
  it('has whole characters, however they arrive', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'hookline-program-'));
    try {
      const script = `const { existsSync } = require('node:fs');
        const say = text => process.stderr.write(Buffer.from(text, 'latin1'));
        say('first\\ngr\\xc3');
        const wait = setInterval(() => {
          if (!existsSync('go')) return;
          clearInterval(wait);
          say('\\xbc\\xc3\\x9fe\\n');
        }, 5);`;
      const lines: string[] = [];
      const call = { command: process.execPath, args: ['-e', script], cwd, env: process.env };
      const { code, stderr } = await callProgram({
        ...call,
        signal: new AbortController().signal,
        onLine: line => {
          lines.push(line);
          writeFileSync(join(cwd, 'go'), '');
        },
      });
      assert.deepEqual([code, stderr, lines], [0, 'first\ngrüße\n', ['first', 'grüße']]);
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});

describe('the program that installs npm packages', () => {
  it('is npm, or what the setting says', () => {
    assert.deepEqual(npmCommandFrom([], { ...process, platform: 'linux' }), {
      command: 'npm',
      args: [],
      manager: 'npm',
    });
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['pnpm'], 'pnpm'],
      [['/opt/bun/bin/bun'], 'bun'],
      [['C:/x/pnpm.cmd'], 'pnpm'],
      [['mise', 'exec', 'node@24', '--', 'npm'], 'npm'],
      [['corepack', 'pnpm'], 'pnpm'],
      [['mise', 'exec', '--', 'yarn'], 'other'],
      [['cnpm'], 'other'],
    ];
    for (const [setting, manager] of cases) assert.equal(npmCommandFrom(setting).manager, manager, setting.join(' '));
    assert.throws(() => npmCommandFrom(['']), /"npmCommand": the first entry/);
    assert.throws(() => npmCommandFrom(['x', 'npm', 'pnpm']), /names several programs: npm, pnpm/);
  });

  it('never runs install scripts by itself, whichever it is', () => {
    for (const name of ['npm', 'pnpm', 'bun', 'cnpm']) {
      const npm = npmCommandFrom([name]);
      assert.ok(installArgs(npm, ['a@1'], '/x', 'skip').includes('--ignore-scripts'), name);
      assert.ok(dependencyArgs(npm, 'skip').includes('--ignore-scripts'), name);
      assert.ok(uninstallArgs(npm, 'a', '/x').includes('--ignore-scripts'), name);
      assert.ok(installArgs(npm, ['a@1'], '/x', 'run').includes('--ignore-scripts=false'), name);
    }
    const peers = { npm: '--legacy-peer-deps', pnpm: '--config.auto-install-peers=false', bun: '--omit=peer' };
    for (const [name, flag] of Object.entries(peers)) {
      assert.ok(installArgs(npmCommandFrom([name]), ['a'], '/x', 'skip').includes(flag), name);
    }
  });
});

describe('versions', () => {
  it('are compared as semantic versions are', () => {
    const sorted = [
      'next',
      '0.9.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0',
      '1.2.0',
      '1.10.0',
    ];
    assert.deepEqual([...sorted].reverse().toSorted(compareVersions), sorted);
    assert.equal(compareVersions('1.0.0+a', '1.0.0+b'), 0);
  });

  it('are exact or not', () => {
    assert.deepEqual(['1.0.0', 'v1.0.0', '1.0.0-rc.1', '^1.0.0', '1.x', '1', 'latest', '>=1 <2'].map(isExactVersion), [
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('the lock', () => {
  const locked = (version: string, integrity: string | undefined, hasInstallScript = false): LockedPackage => ({
    path: 'node_modules/a',
    name: 'a',
    version,
    ...(integrity === undefined ? {} : { integrity }),
    hasInstallScript,
  });

  it('notices another content of the same version', () => {
    const changed = (before: string | undefined, after: string | undefined): boolean =>
      changedIntegrity([locked('1.0.0', before)], [locked('1.0.0', after)]).length > 0;
    assert.equal(changed('sha512-aa', 'sha512-aa'), false);
    assert.equal(changed('sha512-aa', 'sha512-bb'), true);
    assert.equal(changed('sha512-aa', 'sha1-aa'), true, 'nor a weaker digest');
    assert.equal(changed('sha512-aa', undefined), true);
    assert.equal(changed('sha1-cc sha512-aa', 'sha512-aa'), false);
    assert.equal(changed(undefined, 'sha512-aa'), false);
    assert.deepEqual(changedIntegrity([locked('1.0.0', 'sha512-aa')], [locked('1.0.1', 'sha512-bb')]), []);
  });

  it('tells of install scripts that are new', () => {
    const names = (before: LockedPackage[], after: LockedPackage[]): number => newInstallScripts(before, after).length;
    assert.equal(names([], [locked('1.0.0', 'x', true)]), 1);
    assert.equal(names([locked('1.0.0', 'x', true)], [locked('1.0.0', 'x', true)]), 0);
    assert.equal(names([locked('1.0.0', 'x', true)], [locked('1.1.0', 'x', true)]), 1);
    assert.equal(names([], [locked('1.0.0', 'x')]), 0);
  });
});

describe('all or nothing', () => {
  it('goes back step by step, the last one first, and keeps what succeeded', async () => {
    const done: string[] = [];
    const note = (text: string) => () => {
      done.push(text);
      return Promise.resolve();
    };
    const work = (fails: boolean) =>
      Rollback.run(steps => {
        steps.ifItFails(note('undo 1'));
        steps.whenDone(note('clear 1'));
        steps.ifItFails(note('undo 2'));
        return fails ? Promise.reject(new Error('no')) : Promise.resolve('yes');
      });
    assert.equal(await work(false), 'yes');
    await assert.rejects(work(true), /^Error: no$/);
    assert.deepEqual(done, ['clear 1', 'undo 2', 'undo 1']);
  });

  it('says what could not be put back, and puts back the rest', async () => {
    const done: string[] = [];
    const work = Rollback.run(steps => {
      steps.ifItFails(() => Promise.resolve(done.push('undo 1')));
      steps.ifItFails(() => Promise.reject(new Error('stuck')));
      return Promise.reject(new Error('no'));
    });
    await assert.rejects(work, /^Error: no Not everything could be put back: stuck$/);
    assert.deepEqual(done, ['undo 1']);
  });
});
