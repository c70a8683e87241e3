import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { setImmediate as macrotask } from 'node:timers/promises';
import { LoopStopped } from '../../src/hook-load/ownership/loop-limit';
import { OwnershipScope } from '../../src/hook-load/ownership/scope';
import { HookLoader } from '../../src/hook-load/hook-loader';
import { VirtualModules } from '../../src/hook-load/modules/virtual-modules';
import { silentLog } from '../../src/base/log';
import { JITI_DIR } from './support/loading';
import { TempFiles } from './support/temp-files';

const LIMIT_MS = 60;

/** A hook whose default export runs `body`, whose first line is line 2; `//@` marks the lines that may be named. */
interface Case {
  readonly body: string;
  /** Further files, by name; absent: the loop is in the hook itself. */
  readonly files?: Readonly<Record<string, string>>;
  /** The file that is to be named; `h.ts` when absent. */
  readonly culprit?: string;
}

const LOOPS: Readonly<Record<string, Case>> = {
  'for (;;)': { body: 'for (;;) {} //@' },
  'for without a body': { body: 'for (;;); //@' },
  'while with the work in its condition': { body: 'let n = 0; while (++n); //@' },
  'do … while': { body: 'do { 1; } while (true); //@' },
  'for … of over an endless generator': {
    body: 'function* all() { let n = 0; while (true) yield n++; } //@\nfor (const n of all()) { if (n < 0) break; } //@',
  },
  'for … of over what never ends': {
    body: 'const all = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }; //@\nfor (const n of all) n; //@',
  },
  'an iterator that only built-ins call': {
    body: 'const all = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }; //@\nnew Set(all);',
  },
  'try … catch inside of the loop': { body: 'for (;;) { try { throw new Error("x"); } catch {} } //@' },
  'try … catch around a loop inside of a loop': {
    body: 'for (;;) { try { for (;;) {} } catch {} } //@',
  },
  'a loop that catches what its helper threw': {
    body: 'const spin = () => { for (;;) {} }; //@\nwhile (true) { try { spin(); } catch {} } //@',
  },
  'try … finally with continue': { body: 'for (;;) { try { continue; } finally { continue; } } //@' },
  'labels and continue': {
    body: 'outer: for (;;) { //@\n  inner: for (const n of [1, 2]) { if (n === 1) continue inner; continue outer; } //@\n}',
  },
  'a nested function': { body: 'const deep = () => () => { let n = 0; while (n >= 0) n++; }; //@\ndeep()();' },
  'a method of a class': { body: 'class A { run() { for (;;) {} } } //@\nnew A().run();' },
  'await null': { body: 'for (;;) await null; //@' },
  'await null, caught': { body: 'for (;;) { try { await null; } catch {} } //@' },
  'behind an await': { body: 'await new Promise(r => setTimeout(r, 1));\nfor (;;) {} //@' },
  'for await over an endless generator': {
    body: 'async function* all() { for (;;) yield 1; } //@\nfor await (const n of all()) n; //@',
  },
  'promises that follow each other': {
    body: 'const again = () => Promise.resolve().then(again); //@\nawait again();',
  },
  'an async function that calls itself': {
    body: 'const again = async () => { await null; await again(); }; //@\nawait again();',
  },
  'recursion that branches': { body: 'const fib = n => (n < 2 ? n : fib(n - 1) + fib(n - 2)); //@\nfib(80);' },
  'a file of the workspace that the hook imports': {
    body: 'helper.spin();',
    files: {
      'lib/helper.ts': 'export const limit: number = 1;\n\nexport function spin() {\n  while (limit) {} //@\n}\n',
    },
    culprit: 'lib/helper.ts',
  },
  'a file that the hook requires': {
    body: 'require("./lib/old.cjs").spin();',
    files: { 'lib/old.cjs': 'exports.spin = function () {\n  for (;;); //@\n};\n', 'lib/helper.ts': 'export {};' },
    culprit: 'lib/old.cjs',
  },
};

describe('an endless loop in a hook is stopped', () => {
  let files: TempFiles;
  let loader: HookLoader;
  let scope: OwnershipScope;
  let told: unknown[];

  const open = (texts: Readonly<Record<string, string>>, limitMs = LIMIT_MS): void => {
    files = new TempFiles(texts);
    told = [];
    loader = new HookLoader({
      cacheDir: files.path('.cache'),
      jitiDir: JITI_DIR,
      extensionVersion: '0.0.0',
      modules: () => new VirtualModules(new Map()),
      log: silentLog,
    });
    scope = new OwnershipScope({ owner: 'h.ts', onDidThrow: error => told.push(error), loopLimitMs: limitMs });
  };
  const run = async (): Promise<unknown> => {
    const loaded = await loader.load({ path: files.path('h.ts'), group: 'hooks' }, scope);
    assert.ok(loaded.ok, JSON.stringify(loaded));
    return await loaded.value.factory(undefined);
  };
  afterEach(async () => {
    await scope.release();
    loader.dispose();
    files.remove();
  });

  const textOf = (body: string, imports: string): string =>
    `${imports}export default async function () {\n${body}\n}\n`;
  const markedLines = (text: string): readonly number[] =>
    text.split('\n').flatMap((line, at) => (line.includes('//@') ? [at + 1] : []));

  for (const [name, { body, files: others = {}, culprit = 'h.ts' }] of Object.entries(LOOPS)) {
    it(name, async () => {
      const imports = 'lib/helper.ts' in others ? 'import * as helper from "./lib/helper"; ' : '';
      const texts = { ...others, 'h.ts': textOf(body, imports) };
      open(texts);
      await assert.rejects(run(), (error: unknown) => {
        assert.ok(error instanceof LoopStopped, String(error));
        assert.equal(error.file, files.path(culprit));
        assert.ok(markedLines(Reflect.get(texts, culprit) as string).includes(error.line), `line ${error.line}`);
        assert.match(error.message, /^Stopped: endless loop at .*:\d+\. Nothing else could run for 0\.06 s\.$/);
        return true;
      });
      await macrotask();
      assert.deepEqual(told, [scope.stopped], 'told once');
    });
  }

  it('while the hook loads: it does not load, and its problem names the place', async () => {
    open({ 'h.ts': 'const a = 1;\nwhile (a) {}\nexport default () => a;\n' });
    const loaded = await loader.load({ path: files.path('h.ts'), group: 'hooks' }, scope);
    assert.ok(!loaded.ok);
    const [problem] = loaded.problems;
    assert.match(problem!.message, /^Failed to load hook: Stopped: endless loop at .*h\.ts:2\./);
    assert.deepEqual([problem!.file, problem!.line], [files.path('h.ts'), 2]);
  });

  it('swallowed by the code that looped: it is told all the same, and every later call throws', async () => {
    open({
      'h.ts': textOf('try { for (;;) {} } catch {}\nreturn { swallowed: true, later: () => String("later") };', ''),
    });
    const answer = (await run()) as { readonly swallowed: boolean; later(): string };
    assert.equal(answer.swallowed, true);
    assert.ok(scope.stopped !== undefined);
    assert.throws(() => answer.later(), scope.stopped);
  });

  it('in a callback of a timer: told once, however often the timer fires', async () => {
    open({ 'h.ts': textOf('globalThis.fired = 0;\nsetInterval(() => { globalThis.fired++; for (;;); }, 1);', '') });
    await run();
    while ((Reflect.get(globalThis, 'fired') as number) < 1 || told.length === 0) await macrotask();
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setTimeout(resolve, 1));
    Reflect.deleteProperty(globalThis, 'fired');
    assert.deepEqual(told, [scope.stopped]);
  });

  it('does not stop what lets others run, however long it takes', async () => {
    open({
      'h.ts': textOf(
        'const end = Date.now() + 200; let n = 0;\nwhile (Date.now() < end) { n++; await new Promise(r => setTimeout(r, 1)); }\nreturn n;',
        '',
      ),
    });
    assert.ok(((await run()) as number) > 1);
    assert.equal(scope.stopped, undefined);
  });

  it('does not stop work that ends in time', async () => {
    open({ 'h.ts': textOf('let n = 0; for (let i = 0; i < 1e6; i++) n += i % 7;\nreturn n;', '') }, 10_000);
    assert.equal(await run(), 2_999_997);
  });

  it('counts one long step, such as a sleeping machine, as no more than a second', async () => {
    open(
      {
        'h.ts': textOf(
          'const cell = new Int32Array(new SharedArrayBuffer(4));\nfor (let i = 0; i < 2; i++) Atomics.wait(cell, 0, 0, 1300);\nfor (let i = 0; i < 10; i++) i;\nreturn "done";',
          '',
        ),
      },
      2_300,
    );
    assert.equal(await run(), 'done');
  });

  it('leaves functions usable whose text is run elsewhere', async () => {
    open({
      'h.ts': textOf(
        'return (n => { let s = 0; for (let i = 0; i < n; i++) s += Math.abs(i); return s; }).toString();',
        '',
      ),
    });
    const text = (await run()) as string;
    // The text of a function, as it is handed to a page or a worker.
    assert.equal(runInNewContext(`(${text})(4)`), 6);
  });
});
