import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { normalize } from 'node:path';
import type { HookLoaderOptions } from '../../src/hook-load/hook-loader';
import { LazyModule } from '../../src/hook-load/modules/lazy-module';
import { VirtualModules } from '../../src/hook-load/modules/virtual-modules';
import { Loading } from './support/loading';
import { TempFiles } from './support/temp-files';
import { itWith } from '../support/platform';

describe('a hook imports', () => {
  let loading: Loading;
  const given = (files: Readonly<Record<string, string>>, options: Partial<HookLoaderOptions> = {}): Loading => {
    loading = new Loading(new TempFiles(files), options);
    return loading;
  };
  afterEach(() => loading.end());

  const HELPERS: Readonly<Record<string, readonly [specifier: string, file: string, text: string]>> = {
    'a TypeScript file by its .js name': ['./util.js', 'util.ts', 'export const value: string = "x";'],
    'a TypeScript file by its .ts name': ['./util.ts', 'util.ts', 'export const value: string = "x";'],
    'a TypeScript file without an extension': ['./util', 'util.ts', 'export const value: string = "x";'],
    'an .mts file by its .mjs name': ['./util.mjs', 'util.mts', 'export const value: string = "x";'],
    'a .cts file by its .cjs name': ['./util.cjs', 'util.cts', 'export const value: string = "x";'],
    'an .mjs file': ['./util.mjs', 'util.mjs', 'export const value = "x";'],
    'a .cjs file': ['./util.cjs', 'util.cjs', 'exports.value = "x";'],
    'a .js file of CommonJS': ['./util.js', 'util.js', 'module.exports = { value: "x" };'],
    'a .js file of ESM': ['./util.js', 'util.js', 'export const value = "x";'],
    'a JSON file': ['./util.json', 'util.json', '{ "value": "x" }'],
    'the index of a folder': ['./util', 'util/index.ts', 'export const value: string = "x";'],
    'a file of the parent folder': ['../util.js', '../util.ts', 'export const value: string = "x";'],
  };

  for (const [kind, [specifier, file, text]] of Object.entries(HELPERS)) {
    it(`${kind}, each way`, async () => {
      given({
        [`hooks/${file}`]: text,
        'hooks/static.ts': `import { value } from "${specifier}"; export default () => value;`,
        'hooks/space.ts': `import * as all from "${specifier}"; export default () => all.value;`,
        'hooks/dynamic.ts': `export default async () => (await import("${specifier}")).value;`,
        'hooks/computed.ts': `const s = ["${specifier}"]; export default async () => (await import(s[0])).value;`,
        'hooks/require.ts': `const { value } = require("${specifier}"); export default () => value;`,
        'hooks/computed-require.ts': `const s = ["${specifier}"]; export default () => require(s[0]).value;`,
        'hooks/created.ts': `import { createRequire } from "node:module";
          const require = createRequire(import.meta.url); export default () => require("${specifier}").value;`,
      });
      for (const way of ['static', 'space', 'dynamic', 'computed', 'require', 'computed-require', 'created']) {
        assert.equal(await loading.run(`hooks/${way}.ts`), 'x', way);
      }
    });
  }

  it('JSON as a default import, and CommonJS too', async () => {
    given({
      'a.json': '{ "n": 1 }',
      'b.cjs': 'module.exports = { n: 2 };',
      'h.ts': 'import a from "./a.json"; import b from "./b.cjs"; export default () => [a.n, b.n];',
    });
    assert.deepEqual(await loading.run('h.ts'), [1, 2]);
  });

  it('one instance of a file, however it is imported', async () => {
    given({
      'state.ts': 'export const state = { n: 0 };',
      'other.ts': 'import { state } from "./state.js"; state.n++; export {};',
      'h.ts': `import { state } from "./state"; import "./other.js";
        export default async () => [state.n, (await import("./state.ts")).state === state, require("./state").state === state];`,
    });
    assert.deepEqual(await loading.run('h.ts'), [1, true, true]);
  });

  it('with __dirname, __filename, import.meta.url and top-level await', async () => {
    given({
      'h.ts': `const late = await Promise.resolve(1);
        export default () => [__dirname, __filename, import.meta.url, import.meta.dirname, late];`,
    });
    const path = loading.files.path('h.ts');
    const [folder, ...others] = (await loading.run('h.ts')) as string[];
    assert.equal(normalize(folder ?? ''), loading.files.root, 'with slashes on Windows');
    assert.deepEqual(others, [path, pathToFileURL(path).href, loading.files.root, 1]);
  });

  for (const [compiler, more] of [
    ['the fast compiler', ''],
    ['Babel', 'enum Left { A }'],
  ] as const) {
    it(`with import.meta in each form, with ${compiler}`, async () => {
      given({
        'h.ts': `${more} import { folderOf } from "./other";
          const { url, dirname } = import.meta; const require = "mine";
          if (import.meta.main) throw new Error("It was not started as a program.");
          import.meta.hot?.accept();
          export default (key: string) =>
            [url, dirname, import.meta["url"], import.meta[key], import.meta.dir, folderOf(import.meta), require];`,
        'other.ts': 'export const folderOf = (meta: ImportMeta) => [meta.dirname, import.meta.filename];',
      });
      const { files } = loading;
      const [root, url] = [files.root, pathToFileURL(files.path('h.ts')).href];
      const expected = [url, root, url, files.path('h.ts'), root, [root, files.path('other.ts')], 'mine'];
      assert.deepEqual(await loading.run('h.ts', 'filename'), expected);
    });
  }

  it('import.meta in a module that is required, and in one of a package beside the hook', async () => {
    given({
      'required.ts': 'export const { url } = import.meta;',
      'node_modules/beside/package.json': '{ "name": "beside", "type": "module", "main": "index.ts" }',
      'node_modules/beside/index.ts': 'export const { filename } = import.meta;',
      'h.ts': 'import { filename } from "beside"; export default () => [require("./required").url, filename];',
    });
    const { files } = loading;
    const beside = files.path('node_modules/beside/index.ts');
    const [url, filename = ''] = (await loading.run('h.ts')) as string[];
    assert.deepEqual([url, normalize(filename)], [pathToFileURL(files.path('required.ts')).href, beside]);
  });

  it('TypeScript that cannot merely be stripped', async () => {
    given({
      'h.ts': `enum Colour { Red, Green }
        const seen: string[] = [];
        const marked = (target: unknown) => { seen.push("marked"); };
        @marked class Point { constructor(private readonly x: number) {} get() { return this.x; } }
        export default () => [Colour.Green, new Point(7).get(), seen];`,
    });
    assert.deepEqual(await loading.run('h.ts'), [1, 7, ['marked']]);
  });

  it('types only, from modules that do not exist', async () => {
    given({
      'h.ts': `import type { A } from "nowhere"; import { B } from "../../src/core/hooks/types.js";
        export default (api: A & B) => api;`,
    });
    assert.equal(await loading.run('h.ts', 5), 5);
  });

  it('a file that declares the names of wrappers itself', async () => {
    given({
      'h.ts': `#!/usr/bin/env node
        const setTimeout = (n: number) => n + 1; function process() { return 2; } let jitiImport = 3;
        export default () => [setTimeout(0), process(), jitiImport];`,
      'sloppy.cjs': `var require2 = require; setInterval = 4; module.exports = () => [setInterval, typeof require2];`,
    });
    assert.deepEqual(await loading.run('h.ts'), [1, 2, 3]);
    assert.deepEqual(await loading.run('sloppy.cjs'), [4, 'function']);
  });

  it('a cycle', async () => {
    given({
      'a.ts': 'import { b } from "./b.js"; export const a = () => b; export default () => a();',
      'b.ts': 'import { a } from "./a.js"; export const b = typeof a;',
    });
    assert.equal(await loading.run('a.ts'), 'undefined');
  });

  it('packages installed next to it, of both kinds', async () => {
    given({
      'hooks/node_modules/old/package.json': '{ "name": "old", "main": "main.js" }',
      'hooks/node_modules/old/main.js': 'module.exports = { name: "old", fs: require("fs") };',
      'hooks/node_modules/new/package.json': '{ "name": "new", "type": "module", "exports": "./main.js" }',
      'hooks/node_modules/new/main.js': 'export const name = "new"; export default () => name;',
      'hooks/node_modules/typed/package.json': '{ "name": "typed", "main": "main.ts" }',
      'hooks/node_modules/typed/main.ts': 'export const name: string = "typed";',
      'hooks/h.ts': `import old from "old"; import make, { name } from "new"; import { name as typed } from "typed";
        export default () => [old.name, name, make(), typed, require("old").name];`,
    });
    assert.deepEqual(await loading.run('hooks/h.ts'), ['old', 'new', 'new', 'typed', 'old']);
  });

  it('what ships, loaded before code that a required package may require it in, and not for what only looks so', async () => {
    const loads: string[] = [];
    const load = (): Promise<object> => Promise.resolve({ count: loads.push('loaded') });
    const shipped = (): VirtualModules =>
      new VirtualModules(new Map([['pi-thing', new LazyModule({ specifier: 'pi-thing', parts: [{ load }] })]]));
    given(
      {
        'looks.ts': `const runRequire = (name: string) => name; export default () => runRequire("beside");`,
        'lone.ts': `export default () => { try { return require("gone"); } catch { return "gone"; } };`,
        'asks/node_modules/beside/package.json': '{ "name": "beside" }',
        'asks/node_modules/beside/index.js': 'exports.count = require("pi-thing").count;',
        'asks/deep/h.ts': `export default () => require("beside").count;`,
        'file/node_modules/single.js': 'exports.count = require("pi-thing").count;',
        'file/h.ts': `export default () => require("single").count;`,
      },
      { modules: shipped },
    );
    assert.equal(await loading.run('looks.ts'), 'beside');
    assert.equal(await loading.run('lone.ts'), 'gone');
    assert.deepEqual(loads, []);
    assert.equal(await loading.run('asks/deep/h.ts'), 1);
    assert.equal(await loading.run('file/h.ts'), 2);
  });

  it('its own files when it is a package itself', async () => {
    const folder = 'npm/node_modules/@me/pack';
    given({
      [`${folder}/index.ts`]:
        'import { value } from "./lib/util.js"; import dep from "dep"; export default () => [value, dep];',
      [`${folder}/lib/util.cjs`]: 'exports.value = 1;',
      [`${folder}/lib/util.ts`]: 'export * from "./util.cjs";',
      [`${folder}/node_modules/dep/index.js`]: 'module.exports = "dep";',
    });
    assert.deepEqual(await loading.run(`${folder}/index.ts`), [1, 'dep']);
    loading.files.write({ [`${folder}/lib/util.cjs`]: 'exports.value = 2;' });
    assert.deepEqual(await loading.run(`${folder}/index.ts`), [2, 'dep']);
    const { sources } = await loading.load(`${folder}/index.ts`);
    assert.equal(sources.length, 3);
  });

  itWith('links', 'through a symbolic link, spaces and letters of other scripts in the path', async () => {
    given({
      'my höoks/日本/util.ts': 'export const value: string = "x";',
      'my höoks/日本/h ook.ts': 'import { value } from "./util.js"; export default () => [value, import.meta.url];',
    });
    const path = loading.files.path('my höoks', '日本', 'h ook.ts');
    const [value, url] = (await loading.run('my höoks/日本/h ook.ts')) as string[];
    assert.equal(value, 'x');
    assert.equal(decodeURI(url!), `file://${path}`);
  });

  it('a built-in module that opens nothing, as the original', async () => {
    given({
      'h.ts': 'import path from "node:path"; import { join } from "path"; export default () => [path.join, join];',
    });
    const path = await import('node:path');
    const [a, b] = (await loading.run('h.ts')) as unknown[];
    assert.deepEqual([a, b], [Reflect.get(path, 'join'), Reflect.get(path, 'join')]);
  });
});
