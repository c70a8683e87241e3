import * as esbuild from 'esbuild';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OUT, ROOT } from '../support/paths.mjs';

/**
 * Bundles test files, each together with the sources it imports, into out/<suite>. Packages stay outside, so they load
 * from node_modules as in a checkout.
 * @param {{ suite: string, pattern: string, exclude?: string[], external?: string[] }} options `pattern` and `exclude`
 *   are globs below the project's root
 * @returns {Promise<string[]>} absolute paths of the bundled test files, sorted
 */
export async function bundleTests({ suite, pattern, exclude = [], external = [] }) {
  const outdir = join(OUT, suite);
  rmSync(outdir, { recursive: true, force: true });
  const entryPoints = globSync(pattern, { cwd: ROOT, exclude }).sort();
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
    external: ['vscode', ...external],
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

/** Tests and scripts find fixtures beside themselves; in a bundle `import.meta` must still name their source file. */
function ownPlacePlugin() {
  return {
    name: 'own-place',
    setup(build) {
      build.onLoad({ filter: /[\\/](test|scripts)[\\/].*\.(ts|mjs)$/ }, ({ path }) => {
        if (path.includes('node_modules')) return undefined;
        const contents = readFileSync(path, 'utf8')
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
          .replaceAll('import.meta.filename', JSON.stringify(path))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
      });
    },
  };
}
