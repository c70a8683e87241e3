import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { silentLog } from '../../src/base/log';
import { AgentChanges } from '../../src/gate/held-changes/agent-changes';
import { changedFiles } from '../../src/gate/held-changes/changed-files';
import { holdChanges } from '../../src/gate/held-changes/hold-changes';
import { SourceReads } from '../../src/hook-load/graph/source-reads';
import type { HookFile } from '../../src/hook-load/files/discover';
import type { Live } from '../../src/hook-load/files/hook-slot';
import type { HookModule } from '../../src/hook-load/graph/hook-module';
import { JITI_DIR, Loading, ROOT } from './support/loading';
import { TempFiles } from './support/temp-files';
import { itOnPosix } from '../support/platform';

/** As while a tool call runs. */
class AgentChangesAtCall extends AgentChanges {
  override get isGuarding(): boolean {
    return true;
  }
}

describe('a hook that is loaded again', () => {
  let loading: Loading;
  const given = (files: Readonly<Record<string, string>>, options = {}): Loading => {
    loading = new Loading(new TempFiles(files), options);
    return loading;
  };
  afterEach(() => loading.end());

  const KINDS: Readonly<Record<string, readonly [file: string, text: (value: number) => string]>> = {
    ts: ['x.ts', value => `export const value: number = ${value};`],
    mts: ['x.mts', value => `export const value: number = ${value};`],
    cts: ['x.cts', value => `export const value: number = ${value};`],
    mjs: ['x.mjs', value => `export const value = ${value};`],
    cjs: ['x.cjs', value => `exports.value = ${value};`],
    json: ['x.json', value => `{ "value": ${value} }`],
    'js of CommonJS': ['x.js', value => `exports.value = ${value};`],
    'js of ESM': ['x.js', value => `export const value = ${value};`],
  };
  for (const [kind, [file, text]] of Object.entries(KINDS)) {
    it(`sees the new text of a .${kind} file, imported or required`, async () => {
      given({
        [file]: text(1),
        'i.ts': `import { value } from "./${file}"; export default () => value;`,
        'r.ts': `const { value } = require("./${file}"); export default () => value;`,
      });
      assert.deepEqual([await loading.run('i.ts'), await loading.run('r.ts')], [1, 1]);
      loading.files.write({ [file]: text(2) });
      assert.deepEqual([await loading.run('i.ts'), await loading.run('r.ts')], [2, 2]);
    });
  }

  it('runs the text that the same reload compared, not what was written after that, until its own code runs', async () => {
    given({
      'h.ts': `import { a } from "./a.js";
        const { writeFileSync } = require("node:fs");
        writeFileSync(__dirname + "/made.ts", "export const made = 'now';");
        export default () => [a, require("./" + "made").made];`,
      'a.ts': 'export const a = "compared";',
      'made.ts': 'export const made = "before";',
    });
    const first = await loading.load('h.ts');
    assert.deepEqual(first.factory(0), ['compared', 'now']);
    const reads = new SourceReads();
    const compared = { sources: first.sources, imports: first.imports };
    assert.deepEqual(changedFiles(compared, reads), []);
    loading.files.write({ 'h.ts': 'throw 1;', 'a.ts': 'throw 2;', 'a.js': 'throw 3;' });
    const loaded = await loading.loader.load({ path: loading.files.path('h.ts'), group: 'hooks' }, loading.scope(), {
      reads,
    });
    assert.ok(loaded.ok);
    loading.files.write({ 'made.ts': 'export const made = "later";' });
    assert.deepEqual(loaded.value.factory(0), ['compared', 'later']);
    assert.equal(changedFiles(loaded.value).length, 3);
  });

  /** The plan for a running hook whose text is `text` at the look and `after` before it is decided about. */
  async function planFor(text: string, after: string, saves: (approval: AgentChanges, path: string) => void) {
    given({ 'h.ts': 'export default () => "running";' });
    const module = await loading.load('h.ts');
    const path = loading.files.path('h.ts');
    const file: HookFile = { path, entry: path, origin: 'workspace', group: 'hooks' };
    const approval = new AgentChangesAtCall({ check: () => Promise.resolve(), log: silentLog });
    loading.files.write({ 'h.ts': after });
    saves(approval, path);
    loading.files.write({ 'h.ts': text });
    const reads = new SourceReads();
    assert.equal(reads.source(path)?.text, text);
    loading.files.write({ 'h.ts': after });
    const { plans } = await holdChanges({ files: [file], problems: [] }, [{ file, live: { module } as Live }], {
      approval,
      known: undefined,
      store: undefined,
      holdsAll: false,
      seen: new Set(),
      checkedPlaces: new Set(),
      lasting: [],
      packages: undefined,
      untrusted: { changedByTools: new Set(), isAsBefore: () => false },
      reads,
    });
    return { plan: plans.get(path), file, reads };
  }

  it('runs the text that a look at a running hook saw, although an agent changes it before it is loaded', async () => {
    const { plan, file, reads } = await planFor('export default () => "running";', 'throw 1;', () => undefined);
    assert.equal(plan, undefined);
    const loaded = await loading.loader.load(file, loading.scope(), { reads });
    assert.ok(loaded.ok);
    assert.equal(loaded.value.factory(0), 'running');
  });

  for (const [how, allows] of [
    ['saved', (approval, path) => approval.savedInEditor(path)],
    ['approved', (approval, path) => approval.approve(path, [])],
  ] satisfies [string, (approval: AgentChanges, path: string) => void][]) {
    it(`holds what an agent wrote although the text that was ${how} is there again before it is decided about`, async () => {
      const { plan } = await planFor('export default () => "the agent";', 'export default () => "mine";', allows);
      assert.equal(plan?.type === 'kept' && plan.slot.waiting, 'changed');
    });
  }

  it('has fresh state, and the old instance keeps its own', async () => {
    given({ 'h.ts': 'let n = 0; export default () => ++n;' });
    const first = await loading.load('h.ts');
    assert.deepEqual([first.factory(0), first.factory(0)], [1, 2]);
    const second = await loading.load('h.ts');
    assert.deepEqual([second.factory(0), first.factory(0)], [1, 3]);
  });

  it('can go back to the code it had, whatever is on the disk now', async () => {
    given({
      'h.ts': 'import { a } from "./a.js"; import b from "./b.json"; let n = 0; export default () => [a, b.n, ++n];',
      'a.ts': 'export const a = "old";',
      'b.json': '{ "n": 1 }',
    });
    const good = await loading.load('h.ts');
    assert.deepEqual(good.factory(0), ['old', 1, 1]);
    loading.files.write({ 'h.ts': 'syntax error', 'b.json': '' });
    rmSync(loading.files.path('a.ts'));
    const again = await loading.loader.restart(good, loading.scope());
    assert.ok(again.ok);
    assert.deepEqual(again.value.factory(0), ['old', 1, 1]);
    assert.deepEqual(again.value.sources, good.sources);
  });

  it('tells the texts it consists of, the entry first', async () => {
    const files = {
      'h.ts': 'import "./a.js"; export default () => require("./b.json");',
      'a.ts': 'export {};',
      'b.json': '{}',
    };
    given(files);
    const { sources } = await loading.load('h.ts');
    assert.deepEqual(
      sources.map(({ path, text }) => [path, text]),
      Object.entries(files).map(([name, text]) => [loading.files.path(name), text]),
    );
    assert.match(sources[0]!.hash, /^[0-9a-f]{64}$/);
  });

  it('comes from the cache on disk when its text is the same, and from the text when it is not', async () => {
    given({ 'h.ts': 'export default () => 1;' });
    await loading.load('h.ts');
    const folder = loading.files.path('.cache', 'hooks-0.0.0-12');
    const [cached = ''] = readdirSync(folder);
    const path = join(folder, cached);
    writeFileSync(path, readFileSync(path, 'utf8').replace('=> 1', '=> "from the cache"'));
    assert.equal(await loading.run('h.ts'), 'from the cache');
    loading.files.write({ 'h.ts': 'export default () => 2;' });
    assert.equal(await loading.run('h.ts'), 2);
    const kept = readdirSync(folder).filter(file => file.startsWith('h.ts'));
    assert.deepEqual(kept, [cached, `${cached}.map`]);
  });

  it('is compiled again by another version of the extension', async () => {
    given({ 'h.ts': 'export default () => 1;' });
    await loading.load('h.ts');
    const other = new Loading(loading.files, { extensionVersion: '0.0.1' });
    await other.load('h.ts');
    other.loader.dispose();
    assert.deepEqual(readdirSync(loading.files.path('.cache')).sort(), ['hooks-0.0.0-12', 'hooks-0.0.1-12']);
  });

  it('loads when the cache cannot be written, or is torn', async () => {
    given({ 'h.ts': 'export default () => 1;', blocked: 'a file where the folder should be' });
    const blocked = new Loading(loading.files, { cacheDir: loading.files.path('blocked') });
    assert.equal(await blocked.run('h.ts'), 1);
    assert.equal(await loading.run('h.ts'), 1);
    const folder = loading.files.path('.cache', 'hooks-0.0.0-12');
    const path = join(folder, readdirSync(folder)[0]!);
    for (const torn of [path, `${path}.map`]) {
      const whole = readFileSync(torn, 'utf8');
      writeFileSync(torn, whole.slice(0, 90));
      assert.equal(await loading.run('h.ts'), 1);
      assert.equal(readFileSync(torn, 'utf8'), whole, 'it is written again');
    }
  });

  itOnPosix('is compiled by the worker where there is one, with the same result', async () => {
    given({
      'h.ts': 'import { a } from "./a.js"; export default (): number => a;',
      'a.ts': 'export const a: number = 7;',
    });
    const workerFile = loading.files.path('dist', 'transform-worker.mjs');
    await build({
      entryPoints: [join(ROOT, 'src/hook-load/compile/transform-worker.ts')],
      outfile: workerFile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    const here = await loading.load('h.ts');
    const working = new Loading(loading.files, {
      workerFile,
      cacheDir: loading.files.path('.other'),
      jitiDir: JITI_DIR,
    });
    const there = await working.load('h.ts');
    assert.equal(there.factory(0), 7);
    const [mine, its] = ['.cache', '.other'].map(name => {
      const folder = loading.files.path(name, 'hooks-0.0.0-12');
      const own = readdirSync(folder).filter(file => !file.startsWith('jiti'));
      assert.equal(own.length, 4, own.join(', ')); // Two with code, two with maps.
      return own.map(file => [file, readFileSync(join(folder, file), 'utf8')]);
    });
    assert.deepEqual(its, mine);
    assert.equal(here.factory(0), 7);
    loading.files.write({ 'bad.ts': 'const = 5;' });
    assert.match((await working.problem('bad.ts')).message, /^Failed to load hook: .*\(1:7\)$/);
    working.loader.dispose();
  });

  it('survives a worker that cannot start', async () => {
    given({ 'h.ts': 'export default () => 1;', 'worker.mjs': 'throw new Error("broken build")' });
    const broken = new Loading(loading.files, { workerFile: loading.files.path('worker.mjs') });
    assert.equal(await broken.run('h.ts'), 1);
    broken.loader.dispose();
  });
});

describe('positions in a loaded hook', () => {
  it('are those of the source, in stacks, in helpers and on line 1', async () => {
    const loading = new Loading(
      new TempFiles({
        'h.ts':
          'interface A {\n  a: 1;\n}\nimport { fail } from "./f.js";\nexport default () => {\n  fail( {} as A);\n};\n',
        'f.ts': 'export const fail = (a: unknown): never => { throw new Error("x" as string); };\n',
      }),
    );
    const module = await loading.load('h.ts');
    assert.throws(
      () => module.factory(0),
      (error: Error) => {
        const stack = module.mapStack(error.stack ?? '');
        const helper = loading.files.path('f.ts');
        assert.ok(stack.includes(`${helper}:1:52`), stack);
        assert.match(stack, /h\.ts:6:[37]\)/);
        assert.deepEqual(module.placeIn(error.stack ?? ''), { file: helper, line: 1, column: 52 });
        return true;
      },
    );
    await loading.end();
  });
});

describe('source maps that are kept apart', () => {
  const texts = { 'h.ts': 'interface A {\n  a: 1;\n}\nexport default (a: A) => {\n  throw new Error("x");\n};\n' };
  const place = (module: HookModule): unknown => {
    try {
      return module.factory(0);
    } catch (error) {
      return module.placeIn((error as Error).stack ?? '');
    }
  };

  it('are found when a position is asked for, at the first load and from the cache', async () => {
    const loading = new Loading(new TempFiles(texts), { mapsApart: true });
    const expected = { file: loading.files.path('h.ts'), line: 5, column: 9 };
    assert.deepEqual(place(await loading.load('h.ts')), expected);
    const again = new Loading(loading.files, { mapsApart: true });
    const cached = await again.load('h.ts');
    assert.deepEqual(place(cached), expected);
    again.loader.dispose();
    await loading.end();
  });

  it('do not count when they belong to another text by then', async () => {
    const loading = new Loading(new TempFiles(texts), { mapsApart: true });
    await loading.load('h.ts');
    const again = new Loading(loading.files, { mapsApart: true });
    const cached = await again.load('h.ts');
    loading.files.write({ 'h.ts': `// moved\n${texts['h.ts']}` });
    await loading.load('h.ts');
    assert.deepEqual(place(cached), { file: loading.files.path('h.ts'), line: 5, column: 9 });
    again.loader.dispose();
    await loading.end();
  });
});

describe('a debugger', () => {
  it('sees each file of a hook under its own URL, and breakpoints at source lines resolve', async () => {
    const loading = new Loading(
      new TempFiles({
        'a folder/h.ts':
          'interface A { a: 1 }\nimport { help } from "./help.js";\nexport default (a: A) => {\n  return help(a);\n};\n',
        'a folder/help.ts': 'export const help = (a: unknown) => {\n  return a;\n};\n',
      }),
    );
    const session = new Session();
    session.connect();
    const scripts = new Map<string, string>();
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.url, params.sourceMapURL ?? ''));
    await session.post('Debugger.enable');
    for (let load = 1; load <= 2; load += 1) {
      scripts.clear();
      await loading.load('a folder/h.ts');
      for (const [name, line] of [
        ['h.ts', 4],
        ['help.ts', 2],
      ] as const) {
        const url = pathToFileURL(loading.files.path('a folder', name)).href;
        assert.match(scripts.get(url) ?? '', /^data:application\/json;/, url);
        const { locations } = await session.post('Debugger.setBreakpointByUrl', { url, lineNumber: line - 1 });
        assert.equal(locations.at(-1)?.lineNumber, line - 1);
        await session.post('Debugger.disable');
        await session.post('Debugger.enable');
      }
    }
    session.disconnect();
    await loading.end();
  });
});
