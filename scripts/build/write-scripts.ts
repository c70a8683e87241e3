import { init, parse } from 'es-module-lexer';
import * as esbuild from 'esbuild';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../support/paths.ts';
import type { BundleOptions } from './options.ts';

/** Name of the module in dist/ that loads scripts. */
const LOADER = 'load-script';

const LOAD = '__hooklineLoad';
const IMPORT = '__hooklineImport';
const URL = '__hooklineUrl';
const FOLDER = '__hooklineFolder';
/** What a script begins with. `src/load-script.ts` passes the scope. */
const HEAD = `"use strict"; (function* ({ module, require, loadLater: ${LOAD}, importModule: ${IMPORT}, url: ${URL}, folder: ${FOLDER} }) {`;

const OF_SCRIPTS = { '.js': '.cjs' };

type InMemory = BundleOptions & { write: false };
type Modules = Pick<esbuild.BuildResult<InMemory>, 'outputFiles' | 'metafile'>;

/** Builds the code for Node. Resolves with the metafile. */
export async function buildScripts(options: BundleOptions): Promise<esbuild.Metafile> {
  return writeScripts(options, await esbuild.build(inMemory(options)));
}

/** The options with which esbuild makes the modules that {@link writeScripts} takes. */
export function inMemory(options: BundleOptions): InMemory {
  return { ...options, write: false, sourcemap: 'external', outExtension: OF_SCRIPTS };
}

/**
 * Writes ES modules as scripts (.cjs), the loader of scripts, and for each entry point a module that loads its script. A
 * script is a function: the module in CommonJS, with `require` and the like as parameters. `src/load-script.ts` says what
 * this is for. Resolves with the metafile.
 */
export async function writeScripts(options: BundleOptions, modules: Modules): Promise<esbuild.Metafile> {
  const { absWorkingDir, outdir, platform, target, sourcemap, sourcesContent, legalComments } = options;
  const { minifyWhitespace, minifySyntax, entryPoints } = options;
  const texts = new Map(modules.outputFiles.map(({ path, text }) => [path, text]));
  await init();
  await esbuild.build({
    ...{ absWorkingDir, outdir, platform, target, sourcemap, sourcesContent, legalComments },
    ...{ minifyWhitespace, minifySyntax },
    entryPoints: [...texts.keys()].filter(path => path.endsWith('.cjs')),
    outExtension: OF_SCRIPTS,
    allowOverwrite: true, // The inputs are only in memory.
    format: 'cjs',
    banner: { js: HEAD },
    footer: { js: '})' },
    define: { 'import.meta.url': URL, 'import.meta.dirname': FOLDER },
    logLevel: 'error', // The build of the modules has warned.
    logOverride: { 'empty-import-meta': 'error' },
    plugins: [fromMemory(texts)],
  });
  await esbuild.build({
    ...options,
    splitting: false,
    entryPoints: { [LOADER]: join(ROOT, 'src', `${LOADER}.ts`) },
    logOverride: { 'unsupported-dynamic-import': 'silent' }, // It passes on what Node is to import.
  });
  for (const name of Object.keys(entryPoints)) {
    const script = join(outdir, `${name}.cjs`);
    const output = modules.metafile.outputs[relative(ROOT, script).replaceAll('\\', '/')];
    const text = entryModule(name, texts.get(script) ?? '', output?.exports ?? []);
    writeFileSync(join(outdir, `${name}.js`), text);
  }
  return modules.metafile;
}

const HASHBANG = /^#!.*\n/;

function fromMemory(texts: ReadonlyMap<string, string>): esbuild.Plugin {
  return {
    name: 'from-memory',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) => ({ path }));
      build.onLoad({ filter: /.*/ }, ({ path }) => {
        const map = Buffer.from(texts.get(`${path}.map`) ?? '').toString('base64');
        const text = withoutImports(texts.get(path) ?? '');
        return { contents: `${text}\n//# sourceMappingURL=data:application/json;base64,${map}` };
      });
    },
  };
}

/** The module with calls in place of `import()`, which scripts cannot use. */
function withoutImports(text: string): string {
  const pieces: string[] = [];
  let end = 0;
  for (const each of parse(text)[0]) {
    if (each.type !== 'dynamic') continue;
    const isScript = each.specifier?.startsWith('./') === true;
    pieces.push(text.slice(end, each.importStart), isScript ? LOAD : IMPORT);
    end = each.importStart + 'import'.length;
  }
  return [...pieces, text.slice(end)].join('').replace(HASHBANG, '');
}

/** The module that Node or VS Code loads for an entry point. `text`: the entry point as an ES module. */
function entryModule(name: string, text: string, exported: readonly string[]): string {
  const call = `load('./${name}.cjs');`;
  const exports = exported.length === 0 ? call : `export const { ${exported.join(', ')} } = ${call}`;
  return `${HASHBANG.exec(text)?.[0] ?? ''}import { load } from './${LOADER}.js';\n${exports}\n`;
}
