// `npm run build -- [--production] [--watch]`: bundles the extension into dist/.
import * as esbuild from 'esbuild';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeNotices } from './build/notices.mjs';
import { hostOptions, webviewOptions } from './build/options.mjs';
import { buildTypings } from './build/typings.mjs';
import { isMain, runMain } from './support/fail.mjs';
import { DIST, ROOT } from './support/paths.mjs';

const AN_HOUR = 60 * 60 * 1000;
const JITI_FILES = ['jiti.cjs', 'babel.cjs'];

/**
 * Builds dist/: host code, pages, jiti's own two files, the types for hook authors and the licences of others beside
 * them, and one esbuild metafile per bundle.
 * @param {{ production?: boolean }} [options]
 * @returns {Promise<{ host?: import('esbuild').Metafile, webview?: import('esbuild').Metafile }>}
 */
export async function build({ production = false } = {}) {
  const plans = plannedBundles(production);
  const results = await Promise.all(plans.map(plan => esbuild.build(plan.options)));
  plans.forEach((plan, index) => finishBundle(plan, results[index].metafile, production ? 0 : AN_HOUR));
  copyJiti();
  buildTypings();
  writeNotices({ metafiles: results.map(({ metafile }) => metafile), outdir: DIST });
  return Object.fromEntries(plans.map((plan, index) => [plan.name, results[index].metafile]));
}

/** Rebuilds at each change until the process ends. */
async function watch() {
  for (const plan of plannedBundles(false)) {
    const report = {
      name: 'report',
      setup(bundle) {
        bundle.onEnd(result => {
          if (result.metafile) finishBundle(plan, result.metafile, AN_HOUR);
          console.log(`[watch] ${plan.name}: ${result.errors.length} errors`);
        });
      },
    };
    const context = await esbuild.context({ ...plan.options, plugins: [...(plan.options.plugins ?? []), report] });
    await context.watch();
  }
  copyJiti();
  buildTypings();
}

function plannedBundles(production) {
  const plans = [
    { name: 'host', options: hostOptions({ production }) },
    { name: 'webview', options: webviewOptions({ production }) },
  ];
  return plans.filter(plan => plan.options !== undefined);
}

function finishBundle({ name, options }, metafile, staleAge) {
  mkdirSync(DIST, { recursive: true });
  writeFileSync(join(DIST, `meta-${name}.json`), JSON.stringify(metafile));
  removeStaleChunks(options.outdir, metafile, staleAge);
}

/** A window that still runs an older build may yet load its chunks, so outside of packaging they stay for a while. */
function removeStaleChunks(folder, metafile, staleAge) {
  const current = new Set(Object.keys(metafile.outputs).map(path => basename(path)));
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('chunk-') || current.has(name)) continue;
    if (Date.now() - statSync(join(folder, name)).mtimeMs >= staleAge) rmSync(join(folder, name), { force: true });
  }
}

/** The hook loader calls jiti's raw factory, which finds Babel beside itself; neither survives bundling. */
function copyJiti() {
  const target = join(DIST, 'jiti');
  mkdirSync(target, { recursive: true });
  for (const file of JITI_FILES) cpSync(join(ROOT, 'node_modules', 'jiti', 'dist', file), join(target, file));
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { values } = parseArgs({ options: { production: { type: 'boolean' }, watch: { type: 'boolean' } } });
    if (values.watch) return watch();
    const metafiles = await build({ production: values.production });
    for (const [name, { outputs }] of Object.entries(metafiles)) {
      const scripts = Object.entries(outputs).filter(([path]) => /\.(js|css)$/.test(path));
      const bytes = scripts.reduce((sum, [, output]) => sum + output.bytes, 0);
      console.log(`${name}: ${scripts.length} files, ${Math.round(bytes / 1024)} KB`);
    }
    return 0;
  });
}
