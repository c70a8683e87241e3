import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFast } from '../../../src/hook-load/compile/fast-compile';
import { PositionMap, splitMap } from '../../../src/hook-load/compile/source-map';
import {
  babelCode,
  babelModule,
  bothOutcomes,
  exportsOf,
  fastCode,
  fastModule,
  FILE,
  outcomeOf,
  ownRequests,
  request,
} from './both-compilers';

describe('the fast compiler', () => {
  it('imports what ES modules and CommonJS modules export', async () => {
    const exports = await exportsOf(`
      import hello, { count, who as person } from './es';
      import * as es from './es';
      import cjs, { named } from 'cjs';
      import * as all from 'cjs';
      export const got = [hello('you'), count, es.count, cjs(), named, all.named, all.default === cjs];
      export { person };`);
    assert.deepEqual(exports['got'], ['hello you', 1, 1, 'called', 'a name', 'a name', true]);
    const person = exports['person'] as () => string;
    assert.equal(person(), 'nobody');
  });

  it('calls an imported function without its module as `this`, at the start of a line too', async () => {
    const exports = await exportsOf(`
      import { who, tag, Klass } from './es'
      const seen: unknown[] = []
      const note = (value: unknown) => { seen.push(value) }
      note(who())
      who()
      note(who?.())
      tag\`a\${1}b\`
      note(tag\`a\${1}b\`)
      if (seen.length > 0)
        who()
      else
        who()
      note(new Klass().made)
      export { seen }`);
    assert.deepEqual(exports['seen'], ['nobody', 'nobody', 'a|b', true]);
  });

  it('leaves names alone that only look like an import', async () => {
    const exports = await exportsOf(`
      import { count, who } from './es';
      const object = { count, who: 'key', nested: { count: 2 } };
      const parameter = (count: number) => count;
      function block() { { const count = 5; return { count }; } }
      class Own { count = 6; who() { return this.count; } }
      function caught() { try { throw 7; } catch (count) { return count; } }
      count: for (;;) break count;
      export const got = [object.count, object.who, object.nested.count, parameter(3), block().count, new Own().who(), caught(), typeof count];`);
    assert.deepEqual(exports['got'], [1, 'key', 2, 3, 5, 6, 7, 'number']);
  });

  it('exports in every form', async () => {
    const exports = await exportsOf(`
      import { count as imported } from './es';
      import * as space from 'cjs';
      export const a = 1, b = 2;
      export const { c, d: [e, ...f], ...g } = { c: 3, d: [4, 5], h: 6 };
      export function named() { return 'named'; }
      export class Klass { static own = 7; }
      const local = 8;
      export { local, local as alias, named as other, imported, space };
      export { one as first, default as theirs } from './more';
      export * from './more';
      export * as more from './more';
      export default class {}`);
    const { a, b, c, e, f, g, local, alias, imported, first, theirs, two } = exports;
    assert.deepEqual([a, b, c, e, f, g], [1, 2, 3, 4, [5], { h: 6 }]);
    assert.deepEqual([local, alias, imported, first, theirs, two], [8, 8, 1, 1, 'not this', 2]);
    assert.equal((exports['other'] as () => string)(), 'named');
  });

  it('exports functions of code without semicolons', async () => {
    const exports = await exportsOf(`
      import { who } from './es'
      export const a = () => who()
      const b = () => () => who()
      export { b, c }
      const c = class { who = () => who() }
      export default class { who = () => who() }`);
    assert.equal((exports['a'] as () => string)(), 'nobody');
    assert.equal((exports['b'] as () => () => string)()(), 'nobody');
  });

  for (const written of [
    '() => 1',
    '() => who()',
    'async () => await who()',
    'function () { return 1; }',
    'async function named() { return 1; }',
    'function* () { yield 1; }',
    'class {}',
    'class Named {}',
    '(1, { a: 1 })',
    'who',
  ]) {
    it(`exports \`${written}\` as the default`, async () => {
      const { default: exported } = await exportsOf(`import { who } from './es';\nexport default ${written};`);
      assert.ok(exported !== undefined);
    });
  }

  it('has its functions before it loads what it imports, and the rest after', async () => {
    const source = `export const later = 1; export function early() {} export default function () {} import './es';`;
    const seen: unknown[] = [];
    const during = (exports: Record<string, unknown>): void => {
      seen.push(['later', 'early', 'default'].map(name => typeof exports[name]));
    };
    await outcomeOf(fastCode(source), during);
    await outcomeOf(babelCode(source), during);
    assert.deepEqual(seen, [
      ['undefined', 'function', 'function'],
      ['undefined', 'function', 'function'],
    ]);
  });

  it('gives another name to variables that are called like what jiti passes', async () => {
    const source = `
      import * as module from './es';
      const __filename = 'my file', { exports } = { exports: 'my exports' }, __dirname = 'my folder';
      const require = (name: string) => \`my \${name}\`;
      export const got = [__filename, exports, __dirname, require('thing'), module.count, { require, __filename }.__filename];`;
    const exports = await exportsOf(source);
    assert.deepEqual(exports['got'], ['my file', 'my exports', 'my folder', 'my thing', 1, 'my file']);
    assert.deepEqual(ownRequests(fastModule(source)), ownRequests(babelModule(source)));
  });

  it('loads nothing for what was a type, and loads what is imported for its effect', async () => {
    const { loaded } = await bothOutcomes(`
      import type { A } from 'type';
      import { type B } from 'types';
      import C from 'used as a type';
      import {} from './more';
      import './es';
      export { type D } from 'types';
      export type { E } from 'type';
      interface F {}
      export { F };
      let c: C;`);
    assert.deepEqual(loaded, ['./more', './es']);
  });

  it('loads unused imports of JavaScript', async () => {
    const file = resolve('module.mjs');
    const { loaded } = await outcomeOf(fastCode(`import { count } from './es';`, { file }));
    assert.deepEqual(loaded, ['./es']);
  });

  it('knows the module itself and imports by a computed name', async () => {
    const exports = await exportsOf(`
      const name = 'cj';
      export const got = [(await import('./es')).count, (await import(name + 's')).named, (await import('cjs')) === (await import('cjs'))];
      export const meta = [import.meta.url, import.meta.filename, import.meta.dirname, import.meta.resolve('x')];`);
    assert.deepEqual(exports['got'], [1, 'a name', true]);
    assert.deepEqual(exports['meta'], [pathToFileURL(FILE).href, FILE, resolve('a folder'), 'resolved x']);
  });

  it('knows `import.meta` as an object', async () => {
    const exports = await exportsOf(`
      const { url, dirname: folder } = import.meta;
      const key = 'filename', handed = (meta: ImportMeta) => meta === import.meta;
      import.meta.extra = 1;
      export const got = [url, folder, import.meta["url"], import.meta[key], import.meta?.url, handed(import.meta)];
      export const members = [import.meta.main, import.meta.dir, import.meta.hot, import.meta.extra, 'url' in import.meta];
      export const environment = import.meta.env.PATH === process.env.PATH;`);
    const [url, folder] = [pathToFileURL(FILE).href, resolve('a folder')];
    assert.deepEqual(exports['got'], [url, folder, url, FILE, url, true]);
    assert.deepEqual(exports['members'], [false, folder, undefined, 1, true]);
    assert.equal(exports['environment'], true);
  });

  it('puts the guards where Babel puts them', () => {
    const source = `
      while (a) b();
      do c(); while (d)
      for (const e of f) { 'use x'; g(); }
      const arrow = () =>
        call(), object = () => ({ a: call() }), plain = () => 1;
      function directive() {
        'use strict';
        return call();
      }
      const iterator = { next() { return 1; }, get next2() { return call(); }, next: () => 2 };
      class K {
        next = () => 1;
        method() { super.method(); }
        static async *
          generator() { for await (const x of y) yield x; }
      }`;
    const guards = (code: string): readonly string[] => (code.match(/\.c\(\d+\)/g) ?? []).sort();
    assert.deepEqual(guards(fastCode(source)), guards(babelCode(source)));
    assert.ok(guards(fastCode(source)).length > 10);
  });

  it('takes the same globals from the scope', () => {
    const source = `
      const setTimeout = 1;
      setInterval(fetch, 1);
      function inner(process: unknown) { return [process, setTimeout]; }
      export default () => globalThis;`;
    const globals = (code: string): string | undefined =>
      /let (\{.*?\}) = require\("hookline:globals"\)/.exec(code)?.[1];
    assert.equal(globals(fastCode(source)), '{ fetch, globalThis, setInterval }');
    assert.equal(globals(fastCode(source)), globals(babelCode(source)));
  });

  it('keeps each line where it was, and maps its columns', async () => {
    const source = `#!/usr/bin/env node
import {
  count,
} from './es';
type Removed = {
  a: 1;
};
export const f = (ü: string) => { for (;;) { const x: number = count; throw new Error(ü + x); } };`;
    const code = fastCode(source);
    const { exports } = await outcomeOf(code);
    const error = await Promise.resolve()
      .then(() => (exports['f'] as (text: string) => void)('x'))
      .catch((thrown: unknown) => thrown);
    const [, line, column] = /:(\d+):(\d+)\)?$/m.exec(String((error as Error).stack).split('\n')[1] ?? '') ?? [];
    const at = new PositionMap(() => code).original({ line: Number(line), column: Number(column) });
    const [text = ''] = source.split('\n').slice(-1);
    assert.deepEqual(at, { line: 8, column: text.indexOf('new Error') + 1 });
  });

  it('shows the source as it was written in the map', () => {
    const source = 'export const a: number = 1; export class B { constructor(private readonly c: string) {} }';
    assert.deepEqual(sourcesIn(fastCode(source)), [source]);
    assert.deepEqual(sourcesIn(babelCode(source)), [source]);
  });

  it('maps columns of line 1, after what it puts there', async () => {
    const source = `import { count } from './es'; export const f = () => { throw new Error(String(count)); };`;
    const code = fastCode(source);
    const { exports } = await outcomeOf(code);
    assert.throws(exports['f'] as () => void, (error: Error) => {
      const [, line, column] = /:(\d+):(\d+)\)?$/m.exec(String(error.stack).split('\n')[1] ?? '') ?? [];
      const at = new PositionMap(() => code).original({ line: Number(line), column: Number(column) });
      assert.deepEqual(at, { line: 1, column: source.indexOf('new Error') + 1 });
      return true;
    });
  });

  it('keeps lines that end like those of Windows', () => {
    const source = `import {\r\n  count\r\n} from './es';\r\n\r\nfor (;;) console.log(count);\r\n`;
    assert.match(fastCode(source).split('\n')[4] ?? '', /^for \(;;\) \{.*\.c\(5\);console/);
  });

  it('asks for what the code requires, not for what stands in a comment or a text', () => {
    const asked = ownRequests(
      fastModule(`
        // We require("a comment") here.
        const text = 'require("a text")';
        const worker = \`const { parse } = require(workerData.path);\`;
        const computed = require(\`template\`), lazyRequire = (name: string) => name;
        lazyRequire('lazy');
        lazyRequire(text);
        requireCheck('check');
        module.require('member');
        export default () => import('later');`),
    );
    const required = ['lazy', 'member', 'template'].map(specifier => ({ async: false, specifier }));
    assert.deepEqual(
      asked,
      [...required, { async: true, specifier: 'later' }].map(ask => JSON.stringify(ask)),
    );
    assert.deepEqual(ownRequests(fastModule('require(name); export {};')), ['{"async":false}']);
    assert.deepEqual(ownRequests(fastModule('const require = String; require(name); export {};')), []);
    const byNode = 'const require = createRequire(import.meta.url); (load = require) => loadRequire("a"); export {};';
    assert.deepEqual(ownRequests(fastModule(byNode)), ['{"async":false,"specifier":"a","byNode":true}']);
    const inside = 'const own = () => { const require = createRequire(at); }; require("a"); export {};';
    assert.deepEqual(ownRequests(fastModule(inside)), ['{"async":false,"specifier":"a"}']);
  });

  it('requires in a module that is required', () => {
    const more = { async: false };
    const source = `import { count } from './es'; export const got = count; export const later = () => import('cjs');`;
    assert.deepEqual(ownRequests(fastModule(source, more)), ownRequests(babelModule(source, more)));
  });

  for (const [what, source] of [
    ['an enum', 'enum A { B }'],
    ['a decorator', '@dec class A {}'],
    ['an `import =`', "import a = require('a');"],
    ['a syntax error', 'const a: = 1;'],
    ['a name that is declared twice', 'const a = 1; const a = 2;'],
    ['an exported variable that changes', 'export let a = 1; a = 2;'],
    ['an exported variable of a block', 'if (1) { var a = 1; } export { a };'],
    ['an exported function that is replaced', 'export function a() {} a = 1 as never;'],
    ['an import that is assigned', "import { a } from 'a'; a = 1;"],
    ['a name that is a string', "import { 'a b' as a } from 'a'; a();"],
    ['a name of the compiler', 'const jitiImport = 1;'],
  ] as const) {
    it(`leaves ${what} to Babel`, () => {
      assert.equal(compileFast(request(source)), undefined);
    });
  }

  it('leaves a required module that awaits, a script and JSX to Babel', () => {
    assert.equal(compileFast(request('await 1;', { async: false })), undefined);
    assert.equal(compileFast(request('module.exports = 1;', { file: resolve('a.js') })), undefined);
    assert.equal(compileFast(request('export default <a />;', { file: resolve('a.tsx') })), undefined);
  });

  it('compiles each example', () => {
    const files = readdirSync('examples', { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map(name => join('examples', name));
    const left = files.filter(file => {
      const source = readFileSync(file, 'utf8');
      const module = compileFast(request(source, { file: resolve(file) }));
      if (module !== undefined) {
        assert.deepEqual(ownRequests(module), ownRequests(babelModule(source, { file: resolve(file) })), file);
      }
      return module === undefined;
    });
    assert.ok(files.length >= 25);
    assert.deepEqual(left, []);
  });
});

/** The texts of the sources in the map of compiled code. */
function sourcesIn(code: string): unknown {
  const encoded = splitMap(code).map.split('base64,')[1] ?? '';
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as { readonly sourcesContent: unknown };
  return map.sourcesContent;
}
