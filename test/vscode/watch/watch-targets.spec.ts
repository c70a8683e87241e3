import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { areOnlyHooks } from '../../../src/vscode/watch/watch-targets';

describe('a change of files', () => {
  const cwd = resolve('work');
  const hooks = join(cwd, '.pi', 'hooks');
  const packages = [join(cwd, 'package')];
  const infos = [
    {
      path: join(hooks, 'gate.ts'),
      files: ['gate.ts', 'parts/words.mjs', 'package.json', 'rules.json'].map(name => join(hooks, name)),
    },
    { path: join(hooks, 'broken.ts') },
    { path: join(cwd, 'package', 'index.ts') },
  ];
  const isOnlyHooks = (...paths: readonly string[]): boolean => areOnlyHooks(new Set(paths), infos, packages);

  it('concerns only the hooks if all files are code of hooks', () => {
    assert.ok(isOnlyHooks(join(hooks, 'gate.ts')));
    assert.ok(isOnlyHooks(join(hooks, 'gate.ts'), join(hooks, 'parts', 'words.mjs'), join(hooks, 'broken.ts')));
  });

  for (const path of [
    join(cwd, '.pi', 'settings.json'),
    join(hooks, 'new.ts'),
    join(hooks, 'package.json'),
    join(hooks, 'rules.json'),
    join(cwd, 'package', 'index.ts'),
    hooks,
  ]) {
    it(`may concern everything if a file is ${path.slice(cwd.length)}`, () => {
      assert.equal(isOnlyHooks(path), false);
      assert.equal(isOnlyHooks(join(hooks, 'gate.ts'), path), false);
    });
  }
});
