// `npm run build -- [--production] [--watch]`: builds the extension into dist/.
import * as esbuild from 'esbuild';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyGuardClient } from './build/guard-client.ts';
import { writeNotices } from './build/notices.ts';
import { hostOptions, pluginOptions, helperOptions, webviewOptions, type BundleOptions } from './build/options.ts';
import { buildTypings } from './build/typings.ts';
import { buildScripts, inMemory, writeScripts } from './build/write-scripts.ts';
import { isMain, runMain } from './support/fail.mjs';
import { DIST, ROOT, TYPESCRIPT_PLUGIN } from './support/paths.ts';

const AN_HOUR = 60 * 60 * 1000;
interface Plan {
  readonly name: string;
  readonly options: BundleOptions;
  readonly isScripts: boolean;
}

const JITI_FILES = ['jiti.cjs', 'babel.cjs'];

/**
 * Builds dist/: host code, pages, the TypeScript plugin, jiti's two files, the types for hook authors, the built-in gate,
 * the clients of other agents, the examples, the page about dialects and the licenses of other packages. Resolves with the esbuild metafile of each bundle, by its name.
 */
export async function build({ production = false } = {}): Promise<Readonly<Record<string, esbuild.Metafile>>> {
  const plans = plannedBundles(production);
  const built = plans.map(async plan => {
    const { options } = plan;
    return { plan, metafile: plan.isScripts ? await buildScripts(options) : (await esbuild.build(options)).metafile };
  });
  const bundles = await Promise.all(built);
  for (const { plan, metafile } of bundles) finishBundle(plan, metafile, production ? 0 : AN_HOUR);
  copyJiti();
  copyPhoton();
  copyBuiltInGate();
  copyGuardClient(DIST);
  copyExamples();
  copyDialectsPage();
  writePluginManifest();
  buildTypings();
  writeNotices({ metafiles: bundles.map(({ metafile }) => metafile), outdir: DIST });
  return Object.fromEntries(bundles.map(({ plan, metafile }) => [plan.name, metafile]));
}

let production: ReturnType<typeof build> | undefined;

/** Builds for production, once in this process: the suites of a run share it. */
export function buildForProduction(): ReturnType<typeof build> {
  return (production ??= build({ production: true }));
}

/** Rebuilds at each change until the process ends. */
async function watch(): Promise<void> {
  for (const plan of plannedBundles(false)) {
    const report: esbuild.Plugin = {
      name: 'report',
      setup(bundle) {
        bundle.onEnd(async result => {
          const { outputFiles = [], metafile } = result;
          if (metafile && plan.isScripts) await writeScripts(plan.options, { outputFiles, metafile });
          if (metafile) finishBundle(plan, metafile, AN_HOUR);
          console.log(`[watch] ${plan.name}: ${result.errors.length} errors`);
        });
      },
    };
    const options = plan.isScripts ? inMemory(plan.options) : plan.options;
    const context = await esbuild.context({ ...options, plugins: [...options.plugins, report] });
    await context.watch();
  }
  copyJiti();
  copyPhoton();
  copyBuiltInGate();
  copyGuardClient(DIST);
  writePluginManifest();
  buildTypings();
}

function plannedBundles(production: boolean): Plan[] {
  return [
    { name: 'host', options: hostOptions({ production }), isScripts: true },
    { name: 'helper', options: helperOptions({ production }), isScripts: false },
    { name: 'webview', options: webviewOptions({ production }), isScripts: false },
    { name: 'typescript-plugin', options: pluginOptions({ production }), isScripts: false },
  ];
}

function finishBundle({ name, options }: Plan, metafile: esbuild.Metafile, staleAge: number): void {
  mkdirSync(DIST, { recursive: true });
  writeFileSync(join(DIST, `meta-${name}.json`), JSON.stringify(metafile));
  if (options.splitting === true) removeStaleChunks(options.outdir, metafile, staleAge);
}

/** Removes chunks of older builds. Except in production they stay for a while, as a running window may still load them. */
function removeStaleChunks(folder: string, metafile: esbuild.Metafile, staleAge: number): void {
  const current = new Set(Object.keys(metafile.outputs).map(path => basename(path)));
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('chunk-') || current.has(name)) continue;
    if (Date.now() - statSync(join(folder, name)).mtimeMs >= staleAge) rmSync(join(folder, name), { force: true });
  }
}

/** Copies jiti. It cannot be bundled, because the hook loader calls its factory, which loads Babel from the same folder. */
function copyJiti(): void {
  const target = join(DIST, 'jiti');
  mkdirSync(target, { recursive: true });
  for (const file of JITI_FILES) cpSync(join(ROOT, 'node_modules', 'jiti', 'dist', file), join(target, file));
}

/** Copies the WebAssembly of the image library, which reads it from its own folder. */
function copyPhoton(): void {
  const file = 'photon_rs_bg.wasm';
  cpSync(join(ROOT, 'node_modules', '@silvia-odwyer', 'photon-node', file), join(DIST, file));
}

/** Copies the source of the built-in gate, so that users can read it like any other hook. */
function copyBuiltInGate(): void {
  for (const name of ['built-in-gate.ts', 'calls', 'commands', 'rules']) {
    cpSync(join(ROOT, 'src', 'gate', name), join(DIST, 'approvals', name), { recursive: true });
  }
}

/** Copies the hooks that "Hookline: Add Example Hook…" offers. */
function copyExamples(): void {
  cpSync(join(ROOT, 'examples', 'pi'), join(DIST, 'examples'), { recursive: true });
}

/** Copies the page that the agent gets when it converts a hook. */
function copyDialectsPage(): void {
  cpSync(join(ROOT, 'docs', 'dialects.md'), join(DIST, 'dialects.md'));
}

/** Writes the package.json of the TypeScript plugin, because TypeScript's server loads plugins as packages. */
function writePluginManifest(): void {
  const manifest = { name: basename(TYPESCRIPT_PLUGIN), version: '0.0.0', private: true, main: 'index.js' };
  mkdirSync(TYPESCRIPT_PLUGIN, { recursive: true });
  writeFileSync(join(TYPESCRIPT_PLUGIN, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { values } = parseArgs({ options: { production: { type: 'boolean' }, watch: { type: 'boolean' } } });
    if (values.watch) return watch();
    const metafiles = await build({ production: values.production });
    for (const [name, { outputs }] of Object.entries(metafiles)) {
      const scripts = Object.entries(outputs).filter(([path]) => /\.(c?js|css)$/.test(path));
      const bytes = scripts.reduce((sum, [, output]) => sum + output.bytes, 0);
      console.log(`${name}: ${scripts.length} files, ${Math.round(bytes / 1024)} KB`);
    }
    return 0;
  });
}
