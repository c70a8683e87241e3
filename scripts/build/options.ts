import type { BuildOptions, Plugin } from 'esbuild';
import { join } from 'node:path';
import { DIST, ROOT, TYPESCRIPT_PLUGIN } from '../support/paths.ts';
import { markdownItPlugin } from './markdown-it.ts';
import { lateStartPlugin } from './late-start.ts';
import { photonPlugin } from './photon.ts';

interface BundleRequest {
  readonly production: boolean;
  readonly outdir?: string;
}

/** Options for esbuild; callers read these members or add to them. */
export interface BundleOptions extends BuildOptions {
  entryPoints: Record<string, string>;
  outdir: string;
  metafile: true;
  plugins: Plugin[];
}

/** Name in dist/ -> source file. */
const HOST_ENTRIES = {
  extension: 'src/extension.ts',
  cli: 'src/cli.ts',
  'transform-worker': 'src/hook-load/compile/transform-worker.ts',
  'image-worker': 'src/agent/images/image-worker.ts',
  'preview-worker': 'src/package-preview/preview-worker.ts',
  'hook-test-runner': 'src/hook-insight/hook-tests/runner/main.ts',
  uninstall: 'src/startup/uninstall.ts',
};
const WEBVIEW_ENTRIES = {
  main: 'webview/chat/main.ts',
  log: 'webview/log/main.ts',
  replay: 'webview/replay/main.ts',
  tree: 'webview/tree/main.ts',
};

/**
 * Options for the code of the extension host, its workers and the command line. Chunks are in the same folder as the
 * entries, so that `new URL('./x.js', import.meta.url)` means dist/x.js in all of them.
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
    external: ['vscode'],
    // The main file of `jsonc-parser` loads its parts in a way that bundlers cannot follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    plugins: [...shared(production).plugins, photonPlugin(), lateStartPlugin()],
    // Identifiers are not minified, so that stack traces in bug reports stay readable.
    minifyWhitespace: production,
    minifySyntax: production,
  };
}

/**
 * Options for the helper thread: one CommonJS file. Chunks, our loader of scripts and Node's loader of ES modules take more
 * time and memory than its own code.
 */
export function helperOptions({ production, outdir = DIST }: BundleRequest): BundleOptions {
  return {
    ...shared(production),
    entryPoints: { helper: 'src/startup/helper-thread/helper.ts' },
    outdir,
    outExtension: { '.js': '.cjs' },
    platform: 'node',
    target: 'node22.19',
    format: 'cjs',
    minifyWhitespace: production,
    minifySyntax: production,
  };
}

/**
 * Options for the plugin for TypeScript's server: one CommonJS file that exports a function, which the server calls and
 * passes the compiler to.
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
 * Options for the pages: one module and one style sheet for each page. Fonts, and chunks that are loaded when needed, are in
 * the same folder.
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
