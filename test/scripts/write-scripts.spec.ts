import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BundleOptions } from '../../scripts/build/options.ts';
import { buildScripts } from '../../scripts/build/write-scripts.ts';
import { ROOT } from '../../scripts/support/paths.ts';

/** `start` and `other` share code, so that esbuild makes scripts of their own for it. */
const FILES: Readonly<Record<string, string>> = {
  'start.js': `#!/usr/bin/env node
import * as path from 'node:path';
import fs, { existsSync } from 'node:fs';
import { log, times, count } from './log.js';
log(path.basename(import.meta.dirname), existsSync(new URL('./start.js', import.meta.url)), fs.existsSync === existsSync);
count();
log('times', times);
log('import("./late.js") is a text', /import\\("x"\\)/.test('import("x")'));
log(require('node:os').EOL === '\\n', this === undefined);
main();
async function main() {
  const [late, again, os] = await Promise.all([import('./late.js'), import('./late.js'), import('node:' + 'os')]);
  log(late.default(), late === again || late.default === again.default, late.name, typeof os.cpus, Object.keys(late).join());
  await import('./broken.js').catch(error => log(error.message));
  await import('./broken.js').catch(error => log(error.message));
  await import('node:nothing').catch(error => log(error.code));
  log((await import(['data:application/json,5'].join(), { with: { type: 'json' } })).default);
}
export const started = true;`,
  'other.js': `import { log } from './log.js';
log('other');`,
  'late.js': `import { log, times } from './log.js';
log('late', times);
export const name = 'late';
export default function called() { return 'called late'; }
export const never = () => 'was not called';`,
  'broken.js': `import { log } from './log.js';
log('breaks');
throw new Error('broken');`,
  'log.js': `export let times = 0;
export function count() { times++; }
export function log(...words) { console.log(words.join(' ')); }
log('first');`,
};

const PRINTED = `first
dist true true
times 1
import("./late.js") is a text true
true true
late 1
called late true late function default,name,never
breaks
broken
breaks
broken
ERR_UNKNOWN_BUILTIN_MODULE
5
`;

const DAY_MS = 24 * 60 * 60 * 1000;

describe('scripts', function () {
  this.timeout(60_000);
  let folder: string;
  let options: BundleOptions;

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-scripts-')));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    options = {
      absWorkingDir: ROOT,
      entryPoints: { start: join(folder, 'start.js'), other: join(folder, 'other.js') },
      outdir: join(folder, 'dist'),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22.19',
      metafile: true,
      sourcemap: true,
      minifyWhitespace: true,
      chunkNames: 'chunk-[name]-[hash]',
      plugins: [],
      logLevel: 'silent',
    };
    await buildScripts(options);
  });

  afterEach(() => {
    for (const path of [cache(), folder]) if (existsSync(path)) chmodSync(path, 0o755);
    rmSync(folder, { recursive: true });
  });

  const cache = (): string => join(folder, 'cache', 'hookline', 'bytecode');
  /** Absolute paths of the stored bytecode. */
  const stored = (): readonly string[] => readdirSync(cache()).map(name => join(cache(), name));
  const scripts = (): readonly string[] => readdirSync(options.outdir).filter(name => name.endsWith('.cjs'));
  const setAge = (path: string, days: number): void => {
    const time = (Date.now() - days * DAY_MS) / 1000;
    utimesSync(path, time, time);
  };

  function run(entry = 'start', nodeOptions: readonly string[] = []): string {
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache'), LOCALAPPDATA: join(folder, 'cache') };
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [...nodeOptions, join(options.outdir, `${entry}.js`)],
      {
        env: { ...env, HOME: folder },
        encoding: 'utf8',
      },
    );
    assert.equal(stderr, '');
    assert.equal(status, 0);
    return stdout;
  }

  /** Replaces a word of a script by another one of the same length. */
  function edit(from: string, to: string): void {
    assert.equal(from.length, to.length);
    const name = scripts().find(each => readFileSync(join(options.outdir, each), 'utf8').includes(from)) ?? '';
    const path = join(options.outdir, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  }

  it('do what the modules did, before and after their bytecode is stored', () => {
    assert.equal(run(), PRINTED);
    assert.equal(run(), PRINTED);
    assert.equal(run('other'), 'first\nother\n');
  });

  it('export what the entry point exports', () => {
    assert.match(
      readFileSync(join(options.outdir, 'start.js'), 'utf8'),
      /^#!\/usr\/bin\/env node\nimport .*\nexport const \{ started \} = load\('\.\/start\.cjs'\);\n$/,
    );
    assert.match(readFileSync(join(options.outdir, 'other.js'), 'utf8'), /^import .*\nload\('\.\/other\.cjs'\);\n$/);
  });

  it('are listed in the metafile by their names', async () => {
    const { outputs } = await buildScripts(options);
    const listed = Object.keys(outputs).map(path => join(ROOT, path));
    const written = scripts().flatMap(name => [name, `${name}.map`].map(file => join(options.outdir, file)));
    assert.deepEqual(listed.sort(), written.sort());
    for (const { imports } of Object.values(outputs)) {
      for (const { path, external } of imports) assert.ok(external === true || path in outputs, path);
    }
  });

  it('must not wait at their top', async () => {
    writeFileSync(join(folder, 'log.js'), `${FILES['log.js'] ?? ''}\nawait 1;`);
    await assert.rejects(buildScripts(options), /Top-level await/);
  });

  it('keep their maps', () => {
    const name = scripts().find(each => readFileSync(join(options.outdir, each), 'utf8').includes('"first"')) ?? '';
    const path = join(options.outdir, name);
    const lines = readFileSync(path, 'utf8').split('\n');
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as never);
    const line = lines.findIndex(each => each.includes('"first"'));
    const found = map.findEntry(line, lines[line]?.indexOf('"first"') ?? -1);
    assert.ok('originalSource' in found);
    assert.equal(join(dirname(path), found.originalSource), join(folder, 'log.js'));
    assert.equal(found.originalLine, 3);
  });

  it('have bytecode with what was called, which the next process uses', () => {
    run();
    const paths = stored();
    assert.equal(paths.length, scripts().length - 1); // The other entry point did not run.
    const late = paths.find(path => path.includes('chunk-late-')) ?? '';
    // V8 stores the texts in functions that it compiled, which it does when they are called.
    assert.ok(readFileSync(late).includes('called late'));
    assert.ok(!readFileSync(late).includes('was not called'));
    const before = paths.map(path => statSync(path).mtimeMs);
    run();
    assert.deepEqual(
      paths.map(path => statSync(path).mtimeMs),
      before,
    );
  });

  it('do not run bytecode of other code, nor damaged bytecode', () => {
    run();
    edit('called late', 'CALLED LATE');
    assert.match(run(), /CALLED LATE true/);
    for (const path of stored()) {
      const data = readFileSync(path);
      data.fill(0, data.length >> 1);
      writeFileSync(path, data);
    }
    assert.match(run(), /CALLED LATE true/);
    for (const path of stored()) writeFileSync(path, '');
    assert.match(run(), /CALLED LATE true/);
    for (const path of stored()) assert.ok(statSync(path).size > 100, path);
  });

  it('have bytecode for each set of flags of V8, which rejects that of others', () => {
    run();
    const before = stored();
    const written = before.map(path => statSync(path).mtimeMs);
    run('start', ['--expose-gc']);
    assert.equal(stored().length, 2 * before.length);
    assert.deepEqual(
      before.map(path => statSync(path).mtimeMs),
      written,
    );
  });

  it('store bytecode again after a day, and remove what was not used for a month', () => {
    run();
    const [used = ''] = stored();
    const old = join(cache(), 'chunk-of-an-earlier-build');
    writeFileSync(old, 'bytecode');
    setAge(used, 2);
    setAge(old, 31);
    run();
    assert.ok(Date.now() - statSync(used).mtimeMs < DAY_MS);
    assert.equal(existsSync(old), false);
  });

  it('run where nothing can be stored', () => {
    mkdirSync(dirname(cache()), { recursive: true });
    writeFileSync(cache(), 'a file is in the way');
    const tells = join(folder, 'tells.cjs');
    writeFileSync(
      tells,
      `const { prototype } = require('node:vm').Script;
const { createCachedData } = prototype;
prototype.createCachedData = function () { console.log('makes bytecode'); return createCachedData.call(this); };`,
    );
    assert.equal(run('start', ['--require', tells]), `${PRINTED}makes bytecode\n`);
    assert.equal(readFileSync(cache(), 'utf8'), 'a file is in the way');
  });
});
