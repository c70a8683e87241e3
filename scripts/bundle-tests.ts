// `node scripts/run.mjs bundle-tests unit|host|e2e|peers`: bundles a suite's tests without running them, for a debugger.
import * as esbuild from 'esbuild';
import { globSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMain, runMain, UserError } from './support/fail.mjs';
import { OUT, ROOT } from './support/paths.ts';

/** The files that each suite bundles, as globs relative to the project's root. */
const SUITES: Readonly<Record<string, { readonly pattern: string; readonly exclude?: readonly string[] }>> = {
  unit: { pattern: 'test/**/*.spec.ts', exclude: ['test/{host,e2e,peers,bench,fixtures}/**'] },
  host: { pattern: 'test/host/**/{index,*.test}.ts' },
  e2e: { pattern: 'test/e2e/**/{evidence,*.e2e}.ts' },
  peers: { pattern: 'test/peers/**/*.peer.ts' },
};

/** Matches files that are not tests, but that all tests of their suite need. */
const SUPPORT = /[\\/](evidence|host[\\/]index)\.ts$/;

/**
 * Bundles the test files of a suite with the sources that they import into out/<suite>. Packages are not bundled but loaded
 * from node_modules. With `file`, only test files whose path contains this text are bundled. Resolves with the absolute
 * paths of the bundled files, sorted.
 * @throws {UserError} when there is no such suite
 */
export async function bundleSuite(
  suite: string,
  { file = '' }: { readonly file?: string | undefined } = {},
): Promise<string[]> {
  const { pattern, exclude = [] } = SUITES[suite] ?? {};
  if (pattern === undefined) throw new UserError(`no suite "${suite}"; there are: ${Object.keys(SUITES).join(', ')}`);
  const outdir = join(OUT, suite);
  rmSync(outdir, { recursive: true, force: true });
  const found = globSync(pattern, { cwd: ROOT, exclude }).sort();
  const entryPoints = found.filter(path => path.includes(file) || SUPPORT.test(path));
  if (entryPoints.length === 0) return [];
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    outbase: ROOT,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    external: ['vscode'],
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    loader: { '.css': 'empty' },
    plugins: [ownPlacePlugin()],
  });
  return entryPoints.map(file => join(outdir, file.replace(/\.ts$/, '.mjs')));
}

/** Lets `import.meta` name the source file in a bundle, because tests and scripts find fixtures relative to it. */
function ownPlacePlugin(): esbuild.Plugin {
  return {
    name: 'own-place',
    setup(build) {
      build.onLoad({ filter: /[\\/](test|scripts)[\\/].*\.(ts|mjs)$/ }, async ({ path }) => {
        if (path.includes('node_modules')) return undefined;
        const text = await readFile(path, 'utf8');
        if (!text.includes('import.meta')) return undefined;
        const { code } = await esbuild.transform(text, {
          sourcefile: path,
          sourcemap: 'inline',
          loader: path.endsWith('.ts') ? 'ts' : 'js',
          define: {
            'import.meta.dirname': JSON.stringify(dirname(path)),
            'import.meta.filename': JSON.stringify(path),
            'import.meta.url': JSON.stringify(pathToFileURL(path).href),
          },
        });
        return { contents: code, loader: 'js' };
      });
    },
  };
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const files = await bundleSuite(process.argv[2] ?? '');
    console.log(`${files.length} files bundled`);
  });
}
