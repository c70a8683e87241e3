import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mergeChunks } from '../../scripts/build/merge-chunks.ts';
import type { BundleOptions } from '../../scripts/build/options.ts';
import { ROOT } from '../../scripts/support/paths.ts';

/** `a` and `b` are loaded by different starts, so that esbuild makes chunks of their own for what they share. */
const FILES: Readonly<Record<string, string>> = {
  'start.js': `import { log } from './log.js';
import { count, name } from './counter.js';
import other from './other.js';
log('start', name, other());
count();
export const shown = () => [...log.lines];
export const late = () => import('./late.js');
export const second = () => import('./second.js');`,
  'second.js': `import { log } from './log.js';
import { times } from './counter.js';
import other, { name } from './other.js';
log('second', times, name, other());`,
  'third.js': `import './log.js';
import './other.js';`,
  'late.js': `import { log } from './log.js';
import { times } from './counter.js';
log('late', times);
export default times;`,
  'log.js': `export function log(...words) { log.lines.push(words.join(' ')); }
log.lines = [];
log('log is ready');`,
  'counter.js': `import { log } from './log.js';
export let times = 0;
export const name = 'counter';
export function count() { times++; }
log('counter is ready');`,
  'other.js': `import { log } from './log.js';
export const name = 'other';
export default () => require('node:path').basename(__hooklineFolder) + ' of ' + name;
log('other is ready');`,
};
const BANNER = `import { createRequire as __hooklineRequire } from 'node:module'; const require = __hooklineRequire(import.meta.url), __hooklineFolder = import.meta.dirname;`;

describe('merged chunks', function () {
  this.timeout(60_000);
  let folder: string;
  let options: BundleOptions;
  let source: (name: string) => string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-merge-')));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    source = name => relative(ROOT, join(folder, name)).replaceAll('\\', '/');
    options = {
      absWorkingDir: ROOT,
      entryPoints: { start: join(folder, 'start.js'), third: join(folder, 'third.js') },
      outdir: join(folder, 'dist'),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      metafile: true,
      sourcemap: true,
      minifyWhitespace: true,
      chunkNames: 'chunk-[name]-[hash]',
      banner: { js: BANNER },
      plugins: [],
      logLevel: 'warning',
    };
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function built(): Promise<esbuild.Metafile> {
    const { metafile } = await esbuild.build(options);
    assert.ok(chunks().length > 3, chunks().join(', '));
    return metafile;
  }
  const chunks = (): readonly string[] => readdirSync(options.outdir).filter(file => /^chunk-.*\.js$/.test(file));
  /** Runs a copy of what was built, since Node keeps the files that it has loaded. Its exports are those of `start.js`. */
  const start = async (): Promise<Start> => {
    const copy = join(mkdtempSync(join(folder, 'run-')), 'dist');
    cpSync(options.outdir, copy, { recursive: true });
    return (await import(pathToFileURL(join(copy, 'start.js')).href)) as Start;
  };

  it('are one file for those that are loaded together, and what runs is the same', async () => {
    const metafile = await built();
    const before = chunks().length;
    const ready = (await start()).shown();
    assert.equal(ready.at(-1), 'start counter dist of other');
    const merged = await mergeChunks(options, metafile, [[source('start.js')], [source('second.js')]]);
    assert.ok(chunks().length < before, chunks().join(', '));
    const { shown, second, late } = await start();
    assert.deepEqual(shown(), ready);
    await second();
    assert.deepEqual(shown(), [...ready, 'second 1 other dist of other']);
    assert.equal((await late()).default, 1);
    const files = readdirSync(options.outdir).map(file => source(join('dist', file)));
    assert.deepEqual(Object.keys(merged.outputs).sort(), files.sort());
    for (const { imports } of Object.values(merged.outputs)) {
      for (const { path, external } of imports) assert.ok(external === true || path in merged.outputs, path);
    }
  });

  it('do not bring code to a start that did not load it', async () => {
    const merged = await mergeChunks(options, await built(), [[source('start.js')], [source('third.js')]]);
    const third = merged.outputs[source('dist/third.js')];
    const inputs = third?.imports.flatMap(({ path }) => Object.keys(merged.outputs[path]?.inputs ?? {})) ?? [];
    assert.ok(inputs.includes(source('log.js')) && inputs.includes(source('other.js')), inputs.join(', '));
    assert.ok(!inputs.includes(source('counter.js')), inputs.join(', '));
  });

  it('do not bring code to an entry point that cannot reach it, also where it loads on demand', async () => {
    // The only group loads both of what they share; the other entry point reaches one of them, on demand.
    writeFileSync(join(folder, 'window.js'), `import './editor.js'; import './log.js'; import './counter.js';`);
    writeFileSync(join(folder, 'panel.js'), `import './editor.js'; import './counter.js';`);
    writeFileSync(join(folder, 'editor.js'), `import './log.js'; import 'vscode'; export const isEditor = true;`);
    writeFileSync(join(folder, 'command.js'), `export const run = () => import('./mode.js');`);
    writeFileSync(join(folder, 'mode.js'), `import { times } from './counter.js'; export { times };`);
    const entryPoints = Object.fromEntries(
      ['window', 'panel', 'command'].map(name => [name, join(folder, `${name}.js`)]),
    );
    options = { ...options, entryPoints, external: ['vscode'] };
    const { metafile } = await esbuild.build(options);
    const { outputs } = await mergeChunks(options, metafile, [[source('window.js')]]);
    const loaded = [source('dist/command.js')];
    for (const file of loaded) {
      for (const { path, external } of outputs[file]?.imports ?? []) {
        assert.notEqual(path, 'vscode', `${file} imports it`);
        if (external !== true && !loaded.includes(path)) loaded.push(path);
      }
    }
    assert.ok(loaded.length > 2, loaded.join(', '));
  });

  it('stay lazy for an entry point that is in no group', async () => {
    writeFileSync(join(folder, 'command.js'), `import './log.js'; export const run = () => import('./counter.js');`);
    options.entryPoints = { start: join(folder, 'start.js'), command: join(folder, 'command.js') };
    const { outputs } = await mergeChunks(options, await built(), [[source('start.js')]]);
    const inputs = (outputs[source('dist/command.js')]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap(({ path }) => Object.keys(outputs[path]?.inputs ?? {}));
    assert.ok(inputs.includes(source('log.js')), inputs.join(', '));
    assert.ok(!inputs.includes(source('counter.js')), inputs.join(', '));
  });

  it('must not wait at their top, since what they wait for may need the same file', async () => {
    writeFileSync(
      join(folder, 'other.js'),
      `export const { name, default: other } = await import('./late.js');
export default other;`,
    );
    const metafile = await built();
    await assert.rejects(mergeChunks(options, metafile, [[source('start.js')]]), /Top-level await/);
  });

  it('keep their maps', async () => {
    await mergeChunks(options, await built(), [[source('start.js')], [source('second.js')]]);
    const file = chunks().find(name => name.startsWith('chunk-merged-')) ?? '';
    const text = readFileSync(join(options.outdir, file), 'utf8');
    const map = new SourceMap(JSON.parse(readFileSync(join(options.outdir, `${file}.map`), 'utf8')) as never);
    const line = text.split('\n').findIndex(each => each.includes('log is ready'));
    const column = text.split('\n')[line]?.indexOf('"log is ready"') ?? -1;
    const found = map.findEntry(line, column);
    assert.ok('originalSource' in found);
    assert.equal(join(dirname(join(options.outdir, file)), found.originalSource), join(folder, 'log.js'));
    assert.equal(found.originalLine, 2);
  });

  it('need sources that are loaded', async () => {
    const metafile = await built();
    await assert.rejects(mergeChunks(options, metafile, [['src/nothing.ts']]), /imported on demand: src\/nothing\.ts/);
  });
});

interface Start {
  readonly shown: () => readonly string[];
  readonly second: () => Promise<unknown>;
  readonly late: () => Promise<{ readonly default: number }>;
}
