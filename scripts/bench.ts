// `npm run bench -- [--row text] [--peers] [--big] [--profile]`: measures what docs/speed.md lists and prints one table.
// `--row` takes only rows whose name holds the text, `--peers` adds the real pi where test:peers has put it into the
// cache, `--big` measures what needs gigabytes of disk, and `--profile` leaves CPU profiles of our own part in
// `out/bench/profiles`. Nothing is asserted: it fails only when a bench crashes.
import { rgPath } from '@vscode/ripgrep';
import * as esbuild from 'esbuild';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { hostOptions } from './build/options.ts';
import { printBenchTable, type BenchResult } from './support/bench-table.ts';
import { runMain, UserError } from './support/fail.mjs';
import { cacheFolder, OUT, ROOT } from './support/paths.ts';
import { runToEnd } from './support/suite.ts';
import { withoutKeys } from './support/test-place.ts';

const TIMEOUT_MS = 10 * 60_000;
const PEER = 'pi-coding-agent-0.73.1';
const WORKER = 'transform-worker';

await runMain(async () => {
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({ options: { row: { type: 'string' }, peers: flag, big: flag, profile: flag } });
  const resultsFile = join(OUT, 'bench', 'results.jsonl');
  const files = await bundle();
  const env = {
    ...process.env,
    ...withoutKeys(),
    PATH: [process.env['PATH'], dirname(rgPath)].join(delimiter), // pi looks for ripgrep there.
    HOOKLINE_BENCH_RESULTS: resultsFile,
    HOOKLINE_BENCH_ROW: values.row ?? '',
    HOOKLINE_BENCH_BIG: values.big ? 'yes' : '',
    HOOKLINE_BENCH_PROFILES: values.profile ? join(OUT, 'bench', 'profiles') : '',
    HOOKLINE_BENCH_PEERS: values.peers ? peerFolder() : '',
  };
  let crashed = 0;
  for (const file of files) {
    // As much to collect as V8 pleases, and a clean heap before each measurement.
    const ending = await runToEnd(process.execPath, ['--expose-gc', file], { env, suiteTimeoutMs: TIMEOUT_MS });
    if (ending === 'ended with exit code 0') continue;
    console.error(`${basename(file)} ${ending}`);
    crashed++;
  }
  const results = existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8').trim().split('\n') : [];
  if (results.length === 0 && crashed === 0) throw new UserError(`no row has "${String(values.row)}" in its name`);
  printBenchTable(results.map(line => JSON.parse(line) as BenchResult));
  return crashed > 0 ? 1 : 0;
});

/** Builds the benches as the product is built, each with the code it measures, and the compile worker beside them. */
async function bundle(): Promise<string[]> {
  const outdir = join(OUT, 'bench');
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const sources = globSync('test/bench/**/*.bench.ts', { cwd: ROOT }).sort();
  const named = sources.map(file => [basename(file, '.ts'), join(ROOT, file)] as const);
  const entryPoints = { ...Object.fromEntries(named), [WORKER]: join(ROOT, 'src/hooks/load/transform-worker.ts') };
  const product = hostOptions({ production: false, outdir });
  await esbuild.build({ ...product, entryPoints, sourcemap: false, legalComments: 'none' });
  return named.map(([name]) => join(outdir, `${name}.js`));
}

function peerFolder(): string {
  const folder = join(cacheFolder(), 'peers', PEER, 'node_modules', '@mariozechner', 'pi-coding-agent');
  if (existsSync(folder)) return folder;
  throw new UserError(`pi is not in the cache; get it with: npm run test:peers`);
}
