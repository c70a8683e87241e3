import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, ROOT } from '../support/paths.mjs';
import { piAiPlugin } from './pi-ai.mjs';

/** Name in dist/ -> source; a source that does not exist is left out. */
const HOST_ENTRIES = {
  extension: 'src/extension.ts',
  cli: 'src/cli.ts',
  'transform-worker': 'src/hooks/load/transform-worker.ts',
};
const WEBVIEW_ENTRIES = {
  main: 'webview/main.ts',
  log: 'webview/log/main.ts',
  replay: 'webview/replay/main.ts',
  tree: 'webview/tree/main.ts',
};

/** CommonJS packages inside an ES module still call `require` for Node's built-ins. */
const REQUIRE_BANNER =
  "import { createRequire as __hooklineRequire } from 'node:module'; const require = __hooklineRequire(import.meta.url);";

/**
 * How the code of the extension host, its worker and the command line is built. Chunks lie flat beside their entry, so
 * that `new URL('./x.js', import.meta.url)` means dist/x.js in each of them.
 * @param {{ production: boolean, outdir?: string }} options
 * @returns {import('esbuild').BuildOptions | undefined} undefined while there is no source to build
 */
export function hostOptions({ production, outdir = DIST }) {
  const entryPoints = presentEntries(HOST_ENTRIES);
  if (!entryPoints) return undefined;
  return {
    ...shared(production),
    entryPoints,
    outdir,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    banner: { js: REQUIRE_BANNER },
    external: ['vscode', 'koffi'],
    plugins: [piAiPlugin()],
    // Names stay: they are what a stack trace in a bug report says.
    minifyWhitespace: production,
    minifySyntax: production,
  };
}

/**
 * How the pages are built: one module and one style sheet each, with the fonts they name and the chunks they load when
 * needed beside them.
 * @param {{ production: boolean, outdir?: string }} options
 * @returns {import('esbuild').BuildOptions | undefined} undefined while there is no source to build
 */
export function webviewOptions({ production, outdir = join(DIST, 'webview') }) {
  const entryPoints = presentEntries(WEBVIEW_ENTRIES);
  if (!entryPoints) return undefined;
  return {
    ...shared(production),
    entryPoints,
    outdir,
    platform: 'browser',
    target: ['chrome120', 'es2022'],
    format: 'esm',
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    tsconfig: join(ROOT, 'webview', 'tsconfig.json'),
    define: { 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
    loader: { '.ttf': 'file', '.woff2': 'file', '.svg': 'file' },
    assetNames: '[name]',
    minify: production,
  };
}

function shared(production) {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    metafile: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: production ? 'eof' : 'none',
    logLevel: 'warning',
  };
}

function presentEntries(entries) {
  const present = Object.entries(entries).filter(([, source]) => existsSync(join(ROOT, source)));
  if (present.length === 0) return undefined;
  return Object.fromEntries(present.map(([name, source]) => [name, join(ROOT, source)]));
}
