// `node scripts/run.mjs bundle-tests unit|host|e2e|peers|agents|arm64|windows`: bundles a suite's tests without running them, for
// a debugger.
import * as esbuild from 'esbuild';
import { globSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMain, runMain, UserError } from './support/fail.mjs';
import { OUT, ROOT } from './support/paths.ts';
import { NOT_ON_WINDOWS, ON_WINDOWS } from './support/windows-tests.ts';

/** The files that each suite bundles, as globs relative to the project's root. */
const SUITES: Readonly<
  Record<string, { readonly pattern: string | readonly string[]; readonly exclude?: readonly string[] }>
> = {
  unit: { pattern: 'test/**/*.spec.ts', exclude: ['test/{host,e2e,peers,agents,bench,fixtures}/**'] },
  host: { pattern: 'test/host/**/{index,*.test}.ts' },
  e2e: { pattern: 'test/e2e/**/{evidence,*.e2e}.ts' },
  peers: { pattern: 'test/peers/**/*.peer.ts' },
  agents: { pattern: 'test/agents/**/*.agent.ts' },
  arm64: { pattern: 'test/arm64/**/*.arm64.ts' },
  windows: {
    pattern: ON_WINDOWS.map(folder => `test/${folder}/**/*.{spec,win}.ts`),
    exclude: Object.keys(NOT_ON_WINDOWS).map(path => `test/${path}{,/**}`),
  },
};

/** Matches files that are not tests, but that all tests of their suite need. */
const SUPPORT = /[\\/](evidence|host[\\/]index)\.ts$/;

/** Paths of the files of a suite, sorted. */
export interface SuiteFiles {
  readonly tests: readonly string[];
  /** Files without tests that every test of the suite needs. */
  readonly support: readonly string[];
}

/**
 * Finds the files of a suite; the paths are relative to `root`, the root of the project. With `file`, only the test files
 * whose path contains this text.
 * @throws {UserError} when there is no such suite, or the suite has no test files at all
 */
export function findTests(
  suite: string,
  { file = '', root = ROOT }: { readonly file?: string | undefined; readonly root?: string } = {},
): SuiteFiles {
  const { pattern, exclude = [] } = SUITES[suite] ?? {};
  if (pattern === undefined) throw new UserError(`no suite "${suite}"; there are: ${Object.keys(SUITES).join(', ')}`);
  const found = globSync(pattern, { cwd: root, exclude }).sort();
  const support = found.filter(path => SUPPORT.test(path));
  const tests = found.filter(path => !SUPPORT.test(path));
  if (tests.length === 0) throw new UserError(`the suite "${suite}" has no test file: none matches ${String(pattern)}`);
  return { tests: tests.filter(path => path.includes(file)), support };
}

interface BundleOptions {
  readonly file?: string | undefined;
  /** The absolute path that a file of this system has on the system where the tests run. */
  readonly pathFor?: (path: string) => string;
}

/**
 * Bundles the test files of a suite with the sources that they import into out/<suite>. Packages are not bundled but loaded
 * from node_modules. With `file`, only test files whose path contains this text are bundled, which may be none. Resolves
 * with absolute paths.
 * @throws {UserError} when there is no such suite, or the suite has no test files
 */
export async function bundleSuite(
  suite: string,
  { file, pathFor = path => path }: BundleOptions = {},
): Promise<SuiteFiles> {
  const { tests, support } = findTests(suite, { file });
  if (tests.length === 0) return { tests, support };
  const outdir = join(OUT, suite);
  rmSync(outdir, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [...support, ...tests],
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
    plugins: [ownPlacePlugin(pathFor)],
  });
  const bundled = (path: string): string => join(outdir, path.replace(/\.ts$/, '.mjs'));
  return { tests: tests.map(bundled), support: support.map(bundled) };
}

/** Lets `import.meta` name the source file in a bundle, because tests and scripts find fixtures relative to it. */
function ownPlacePlugin(pathFor: (path: string) => string): esbuild.Plugin {
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
            'import.meta.dirname': JSON.stringify(pathFor(dirname(path))),
            'import.meta.filename': JSON.stringify(pathFor(path)),
            'import.meta.url': JSON.stringify(pathToFileURL(pathFor(path), { windows: pathFor('/') !== '/' }).href),
          },
        });
        return { contents: code, loader: 'js' };
      });
    },
  };
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { tests } = await bundleSuite(process.argv[2] ?? '');
    console.log(`${tests.length} test files bundled`);
  });
}
