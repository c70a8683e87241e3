import assert from 'node:assert/strict';
import { renameSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { itWith } from '../support/platform';
import { areOnlyHooks } from '../../src/startup/watch-targets';
import { FOLDER, GatePackage } from './gate-package';

describe('a change of files', () => {
  const cwd = resolve('work');
  const hooks = join(cwd, '.pi', 'hooks');
  const folder = join(cwd, 'package');
  const infos = [
    {
      path: join(hooks, 'gate.ts'),
      files: ['gate.ts', 'parts/words.mjs', 'package.json', 'rules.json', '../../package/lib/shared.ts'].map(name =>
        join(hooks, name),
      ),
    },
    { path: join(hooks, 'broken.ts') },
    {
      path: join(folder, 'index.ts'),
      files: ['index.ts', 'lib/own.ts', 'lib/shared.ts'].map(name => join(folder, name)),
      package: { name: 'acme', source: './package', scope: 'project', baseDir: folder, needs: [] } as const,
    },
  ];
  const isOnlyHooks = (...paths: readonly string[]): boolean => areOnlyHooks(new Set(paths), infos);

  it('concerns only the hooks if all files are code of hooks', () => {
    assert.ok(isOnlyHooks(join(hooks, 'gate.ts')));
    assert.ok(isOnlyHooks(join(hooks, 'gate.ts'), join(hooks, 'parts', 'words.mjs'), join(hooks, 'broken.ts')));
  });

  for (const path of [
    join(cwd, '.pi', 'settings.json'),
    join(hooks, 'new.ts'),
    join(hooks, 'package.json'),
    join(hooks, 'rules.json'),
    join(folder, 'index.ts'),
    join(folder, 'lib', 'own.ts'),
    join(folder, 'lib', 'shared.ts'),
    hooks,
  ]) {
    it(`may concern everything if a file is ${path.slice(cwd.length)}`, () => {
      assert.equal(isOnlyHooks(path), false);
      assert.equal(isOnlyHooks(join(hooks, 'gate.ts'), path), false);
    });
  }

  itWith('links', 'may concern everything if a file is of a package that is behind a symbolic link', async () => {
    const place = new GatePackage();
    try {
      renameSync(place.path('home/.pi'), place.path('dotfiles'));
      symlinkSync(place.path('dotfiles'), place.path('home/.pi'), 'junction');
      const started = await place.start();
      await place.approve(started);
      await started.host.reload();
      const changed = place.path(`${FOLDER.replace('home/.pi', 'dotfiles')}/lib/rule.ts`);
      const loaded = started.host.infos();
      assert.ok(loaded.some(({ files = [] }) => files.includes(changed)));
      assert.equal(areOnlyHooks(new Set([changed]), loaded), false);
    } finally {
      await place.dispose();
    }
  });
});
