import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { CompileCache } from '../../../src/hook-load/compile/compile-cache';
import { hashOf } from '../../../src/base/files/hash-of';
import { ScriptCache } from '../../../src/hook-load/compile/script-cache';
import { Loading, until } from '../support/loading';
import { TempFiles } from '../support/temp-files';

const LARGE = `// ${'x'.repeat(10_000)}\n`;

describe('what V8 made of a module', () => {
  let files: TempFiles;
  let cache: CompileCache;
  // Else V8 knows the code from the run before, in this process, and looks at nothing that was kept.
  before(() => setFlagsFromString('--no-compilation-cache'));
  after(() => setFlagsFromString('--compilation-cache'));
  beforeEach(() => {
    files = new TempFiles({});
    cache = new CompileCache(files.path('cache'));
  });
  afterEach(() => files.remove());

  const request = (source: string) => ({ file: '/m.ts', source, hash: hashOf(source), async: true });
  function run(code: string, scripts = new ScriptCache(cache)): unknown {
    scripts.announce(request(code));
    return scripts.vm.runInThisContext(code, { filename: '/m.ts' });
  }
  const kept = (): readonly string[] => readdirSync(files.path('cache'));

  it('is kept after it ran, once, for the same text only', async () => {
    const first = new ScriptCache(cache);
    assert.equal(run(`${LARGE}1 + 1`, first), 2);
    await first.keep();
    assert.equal(kept().length, 1);
    assert.ok(cache.readScript(request(`${LARGE}1 + 1`)));
    assert.equal(cache.readScript(request(`${LARGE}1 + 2`)), undefined);
    const path = files.path('cache', kept()[0] ?? '');
    const before = readFileSync(path);
    const second = new ScriptCache(cache);
    assert.equal(run(`${LARGE}1 + 1`, second), 2);
    writeFileSync(path, '');
    await second.keep();
    assert.equal(readFileSync(path).length, 0, 'what was kept is not made again');
    writeFileSync(path, before);
    assert.equal(run(`${LARGE}1 + 2`, second), 3);
    await second.keep();
    assert.notDeepEqual(readFileSync(path), before);
  });

  it('is not used when the file is damaged or of another engine, and made again', async () => {
    const code = `${LARGE}1 + 1`;
    const first = new ScriptCache(cache);
    run(code, first);
    await first.keep();
    const path = files.path('cache', kept()[0] ?? '');
    const whole = readFileSync(path);
    const damages = [whole.subarray(0, 20), whole.subarray(0, -1), Buffer.from(whole).fill(7, 60, 64)];
    for (const damaged of damages) {
      writeFileSync(path, damaged);
      assert.equal(cache.readScript(request(code)), undefined);
      const again = new ScriptCache(cache);
      assert.equal(run(code, again), 2);
      await again.keep();
      assert.ok(cache.readScript(request(code)));
    }
    cache.writeScript(request(code), Buffer.from('of another engine'));
    const again = new ScriptCache(cache);
    assert.equal(run(code, again), 2);
    await again.keep();
    assert.ok((cache.readScript(request(code))?.length ?? 0) > 100);
  });

  it('is not kept of small modules, nor of code that nobody announced', async () => {
    const scripts = new ScriptCache(cache);
    assert.equal(run('1 + 1', scripts), 2);
    assert.equal(scripts.vm.runInThisContext(`${LARGE}5`, { filename: '/m.ts' }), 5);
    scripts.announce(request(LARGE));
    assert.equal(scripts.vm.runInThisContext(`${LARGE}6`, { filename: '/other.ts' }), 6);
    await scripts.keep();
    assert.equal(cache.readScript(request(LARGE)), undefined);
  });

  it('keeps the positions of a hook', async () => {
    const loading = new Loading(
      new TempFiles({
        'h.ts': `${LARGE}interface A {\n  a: 1;\n}\nexport default () => {\n  throw new Error("x");\n};\n`,
      }),
    );
    const folder = loading.files.path('.cache', 'hooks-0.0.0-12');
    const place = async (): Promise<unknown> => {
      const module = await loading.load('h.ts');
      try {
        return module.factory(0);
      } catch (error) {
        return module.placeIn(error instanceof Error ? (error.stack ?? '') : '');
      }
    };
    const expected = { file: loading.files.path('h.ts'), line: 6, column: 9 };
    assert.deepEqual(await place(), expected);
    await until(
      'the script to be kept',
      () => readdirSync(folder).filter(file => file.startsWith('h.ts')).length === 3,
    );
    assert.deepEqual(await place(), expected);
    await loading.end();
  });
});
