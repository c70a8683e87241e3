import assert from 'node:assert/strict';
import { changedFiles } from '../../src/gate/held-changes/changed-files';
import { isUnchanged } from '../../src/hook-load/files/hook-slot';
import { contentOf } from '../../src/hook-load/graph/hook-module';
import { Loading } from './support/loading';
import { TempFiles } from './support/temp-files';

const HOOK = (specifier: string): string => `import { value } from "${specifier}"; export default () => value;`;
const VALUE = 'export const value = 1;';
const NAMES =
  '{"name":"own","imports":{"#one":"./lib/one.ts","#all/*":"./lib/*.ts","#out":"dep"},"exports":{".":{"import":"./lib/one.ts"}}}';
const DEP = {
  'node_modules/dep/package.json': '{"type":"module","exports":{"import":"./esm.js","require":"./cjs.cjs"}}',
  'node_modules/dep/esm.js': 'export * from "./inner.js"; import "below/part";',
  'node_modules/dep/inner.js': VALUE,
  'node_modules/dep/cjs.cjs': 'module.exports = require("below");',
  'node_modules/below/package.json': '{"main":"./main"}',
  'node_modules/below/main.js': 'exports.value = 1;',
  'node_modules/below/part.js': '',
};

/** How a hook asks for a module, the files of it, and those that its load reads beside the hook. */
const KINDS: Readonly<Record<string, readonly [files: Readonly<Record<string, string>>, read: readonly string[]]>> = {
  'by a name in imports': [
    { 'h.ts': HOOK('#one'), 'package.json': NAMES, 'lib/one.ts': VALUE },
    ['lib/one.ts', 'package.json'],
  ],
  'by a pattern in imports': [
    { 'h.ts': HOOK('#all/two'), 'package.json': NAMES, 'lib/two.ts': VALUE },
    ['lib/two.ts', 'package.json'],
  ],
  'by the name of its own package': [
    { 'h.ts': HOOK('own'), 'package.json': NAMES, 'lib/one.ts': VALUE },
    ['lib/one.ts', 'package.json'],
  ],
  'by main of a folder': [
    { 'h.ts': HOOK('./lib'), 'lib/package.json': '{"main":"one"}', 'lib/one.ts': VALUE },
    ['lib/one.ts', 'lib/package.json'],
  ],
  'by a name in imports that means a package': [
    { 'h.ts': HOOK('#out'), 'package.json': NAMES, ...DEP },
    ['package.json', 'node_modules/dep/package.json', 'node_modules/dep/esm.js', 'node_modules/dep/inner.js'].concat([
      'node_modules/below/package.json',
      'node_modules/below/part.js',
    ]),
  ],
  'as a package': [
    { 'h.ts': HOOK('dep'), ...DEP },
    ['node_modules/dep/package.json', 'node_modules/dep/esm.js', 'node_modules/dep/inner.js'].concat([
      'node_modules/below/package.json',
      'node_modules/below/part.js',
    ]),
  ],
  'as a package with require': [
    { 'h.ts': 'const { value } = require("dep"); export default () => value;', ...DEP },
    ['node_modules/dep/package.json', 'node_modules/dep/cjs.cjs'].concat([
      'node_modules/below/package.json',
      'node_modules/below/main.js',
    ]),
  ],
  'by a computed path, at once': [
    { 'h.ts': 'const { value } = await import("./" + "one.ts"); export default () => value;', 'one.ts': VALUE },
    ['one.ts'],
  ],
  'by a computed path, later': [
    {
      'h.ts': 'export default async () => (await import("./" + "one.ts")).value;',
      'one.ts': 'export { value } from "./two";',
      'two.ts': VALUE,
    },
    ['one.ts', 'two.ts'],
  ],
};

describe('the content of a hook', () => {
  let loading: Loading;
  afterEach(() => loading.end());

  for (const [kind, [files, read]] of Object.entries(KINDS)) {
    it(`includes what it imports ${kind}: each change of it is seen`, async () => {
      loading = new Loading(new TempFiles(files));
      const module = await loading.load('h.ts');
      assert.equal(await module.factory(undefined), 1);
      const paths = read.map(name => loading.files.path(name));
      const own = loading.files.path('h.ts');
      assert.deepEqual(
        contentOf(module)
          .map(({ path }) => path)
          .sort(),
        [own, ...paths].sort(),
      );
      assert.equal(await isUnchanged(module), true);
      for (const name of read) {
        loading.files.write({ [name]: `${files[name] ?? ''} ` });
        assert.equal(await isUnchanged(module), false, name);
        assert.deepEqual(changedFiles(module), [loading.files.path(name)]);
        loading.files.write({ [name]: files[name] ?? '' });
      }
      assert.equal(await isUnchanged(module), true);
    });
  }

  it('has what an earlier version computed from the start, while the file that asks for it is there', async () => {
    const [files] = KINDS['by a computed path, later'] ?? [{}];
    loading = new Loading(new TempFiles(files));
    const earlier = await loading.load('h.ts');
    await earlier.factory(undefined);
    const path = loading.files.path('h.ts');
    const next = await loading.loader.load({ path, group: 'hooks' }, loading.scope(path), { earlier: earlier.imports });
    assert.ok(next.ok);
    assert.deepEqual(
      contentOf(next.value).map(source => source.path),
      contentOf(earlier).map(source => source.path),
    );
  });

  it('is not what the agent changed before the hook first asked for it: that import fails, and the hook counts as changed', async () => {
    const [files] = KINDS['by a computed path, later'] ?? [{}];
    loading = new Loading(new TempFiles(files));
    const path = loading.files.path('h.ts');
    const one = loading.files.path('one.ts');
    const about = { mayBeAgents: (file: string) => file === one };
    const loaded = await loading.loader.load({ path, group: 'hooks' }, loading.scope(path), about);
    assert.ok(loaded.ok);
    assert.equal(await isUnchanged(loaded.value), true);
    for (let call = 0; call < 2; call++) {
      await assert.rejects(async () => await loaded.value.factory(undefined), /one\.ts/);
      assert.deepEqual(changedFiles(loaded.value), [one]);
    }
  });

  it('is all that an approved version may import: of packages only as they were', async () => {
    loading = new Loading(new TempFiles({ 'h.ts': HOOK('dep'), ...DEP }));
    const path = loading.files.path('h.ts');
    const module = await loading.load('h.ts');
    const approved = { sources: contentOf(module), imports: module.imports };
    const again = async (): Promise<string> => {
      const loaded = await loading.loader.loadStored({ path, group: 'hooks' }, approved, loading.scope(path));
      return loaded.ok ? 'runs' : (loaded.problems[0]?.message ?? '');
    };
    assert.equal(await again(), 'runs');
    loading.files.write({ 'node_modules/below/part.js': 'changed();' });
    assert.match(await again(), /part\.js was changed and is not what was approved of this hook/);
    loading.files.write({ 'node_modules/below/part.js': '', 'node_modules/dep/package.json': '{"main":"./cjs.cjs"}' });
    assert.match(await again(), /cjs\.cjs, imported by .*h\.ts, is not what was approved/);
  });
});
