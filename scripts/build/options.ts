import type { BuildOptions, Plugin } from 'esbuild';
import { join } from 'node:path';
import { DIST, ROOT, TYPESCRIPT_PLUGIN } from '../support/paths.ts';
import { markdownItPlugin } from './markdown-it.ts';
import { photonPlugin } from './photon.ts';
import { piAiPlugin } from './pi-ai.ts';

interface BundleRequest {
  readonly production: boolean;
  readonly outdir?: string;
}

/** What esbuild takes, with what others read of it or add to it. */
export interface BundleOptions extends BuildOptions {
  entryPoints: Record<string, string>;
  outdir: string;
  metafile: true;
  plugins: Plugin[];
}

/** Name in dist/ -> source. */
const HOST_ENTRIES = {
  extension: 'src/extension.ts',
  cli: 'src/cli.ts',
  'transform-worker': 'src/hooks/load/compile/transform-worker.ts',
  'image-worker': 'src/agent/images/image-worker.ts',
  'preview-worker': 'src/package-preview/preview-worker.ts',
  watchdog: 'src/hooks/black-box/watchdog.ts',
  reaper: 'src/agent/tools/shell/reaper.ts',
  uninstall: 'src/vscode/palette/uninstall.ts',
};
const WEBVIEW_ENTRIES = {
  main: 'webview/chat/main.ts',
  log: 'webview/log/main.ts',
  replay: 'webview/replay/main.ts',
  tree: 'webview/tree/main.ts',
};

/** CommonJS packages inside an ES module still call `require` for Node's built-ins, and look for files beside them. */
const REQUIRE_BANNER =
  "import { createRequire as __hooklineRequire } from 'node:module'; const require = __hooklineRequire(import.meta.url), __hooklineFolder = import.meta.dirname;";

/**
 * How the code of the extension host, its worker and the command line is built. Chunks lie flat beside their entry, so
 * that `new URL('./x.js', import.meta.url)` means dist/x.js in each of them.
 */
export function hostOptions({ production, outdir = DIST }: BundleRequest): BundleOptions {
  return {
    ...shared(production),
    entryPoints: HOST_ENTRIES,
    outdir,
    platform: 'node',
    target: 'node22.19',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    banner: { js: REQUIRE_BANNER },
    external: ['vscode'],
    // Its main file finds its parts in a way that no bundler sees.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    plugins: [...shared(production).plugins, piAiPlugin(), photonPlugin()],
    // Names stay: they are what a stack trace in a bug report says.
    minifyWhitespace: production,
    minifySyntax: production,
  };
}

/**
 * How the plugin for TypeScript's server is built: one CommonJS file that is a function, because that is what the server
 * calls. It gets the compiler from the server.
 */
export function pluginOptions({ production, outdir = TYPESCRIPT_PLUGIN }: BundleRequest): BundleOptions {
  return {
    ...shared(production),
    entryPoints: { index: 'src/typescript-plugin/index.ts' },
    outdir,
    platform: 'node',
    target: 'node18',
    format: 'cjs',
    footer: { js: 'module.exports = module.exports.init;' },
    sourcemap: false,
    minifyWhitespace: production,
    minifySyntax: production,
  };
}

/**
 * How the pages are built: one module and one style sheet each, with the fonts they name and the chunks they load when
 * needed beside them.
 */
export function webviewOptions({ production, outdir = join(DIST, 'webview') }: BundleRequest): BundleOptions {
  return {
    ...shared(production),
    entryPoints: WEBVIEW_ENTRIES,
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

function shared(production: boolean): BuildOptions & { metafile: true; plugins: Plugin[] } {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    metafile: true,
    plugins: [markdownItPlugin()],
    sourcemap: true,
    sourcesContent: false,
    legalComments: production ? 'eof' : 'none',
    logLevel: 'warning',
  };
}
