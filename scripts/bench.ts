// `npm run bench -- [--row text] [--peers] [--big] [--profile] [--growth] [--programs] [--write]`: measures what docs/speed.md
// lists and prints its tables; `--write` also writes them into the page. `--row` measures only rows whose name contains the
// text, `--peers` adds the real pi (0.73.1, and for whole programs also today's) and other agents, `--big` adds rows that need
// gigabytes of disk, and `--profile` writes CPU profiles of our own code to `out/bench/profiles`. `--growth` measures only how
// cost grows with sizes, and draws the pictures of docs/speed.md; `--programs` measures only whole programs.
// Nothing is asserted: it fails only when a benchmark crashes.
import { rgPath } from '@vscode/ripgrep';
import * as esbuild from 'esbuild';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCommandLine } from './build/command-line.ts';
import { hostOptions } from './build/options.ts';
import { bringAgents } from './support/agent-packages.ts';
import { benchTable, type BenchResult } from './support/bench-table.ts';
import { runMain, UserError } from './support/fail.mjs';
import { showGrowth, type GrowthResult } from './support/growth-plot.ts';
import { OUT, ROOT } from './support/paths.ts';
import { bringPeers } from './support/peer-packages.ts';
import { programTable, type ProgramResult } from './support/program-table.ts';
import { writeSpeedPart, type SpeedPart } from './support/speed-page.ts';
import { runToEnd } from './support/suite.ts';
import { withoutKeys } from './support/test-place.ts';

/** Some of the peers are very slow. */
const TIMEOUT_MS = 60 * 60_000;
const WORKER = 'transform-worker';
/** Packages in CommonJS call `require` for Node's modules, and a module has none. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
/** The options that measure only one file of benchmarks, which has the same name. */
const ONLY = ['growth', 'programs'] as const;

await runMain(async () => {
  const flag = { type: 'boolean' } as const;
  const options = {
    row: { type: 'string' },
    peers: flag,
    big: flag,
    profile: flag,
    growth: flag,
    programs: flag,
    write: flag,
  } as const;
  const { values } = parseArgs({ options });
  const isWhole = values.peers === true && (values.big ?? values.programs) === true && values.row === undefined;
  if (values.write && !isWhole) {
    throw new UserError('--write needs --peers, and --big or --programs, and no --row: the page has all rows');
  }
  const resultsFile = join(OUT, 'bench', 'results.jsonl');
  const programsFile = join(OUT, 'bench', 'programs.jsonl');
  const growthFile = join(OUT, 'bench', 'growth.jsonl');
  const only = ONLY.find(each => values[each] === true);
  const files = (await bundle()).filter(file =>
    only === undefined ? !basename(file).startsWith('growth.') : basename(file).startsWith(`${only}.`),
  );
  const env = {
    ...process.env,
    ...withoutKeys(),
    PATH: [process.env['PATH'], dirname(rgPath)].join(delimiter), // pi looks for ripgrep there.
    HOOKLINE_BENCH_RESULTS: resultsFile,
    HOOKLINE_BENCH_ROW: values.row ?? '',
    HOOKLINE_BENCH_BIG: values.big ? 'yes' : '',
    HOOKLINE_BENCH_PROFILES: values.profile ? join(OUT, 'bench', 'profiles') : '',
    HOOKLINE_BENCH_PEERS: values.peers ? JSON.stringify(await bringPeers()) : '',
    HOOKLINE_TEST_AGENTS: values.peers ? (await bringAgents()).folder : '',
    HOOKLINE_BENCH_PROGRAMS: programsFile,
    HOOKLINE_BENCH_GROWTH: growthFile,
    HOOKLINE_BENCH_CLI: await buildCommandLine(join(OUT, 'bench', 'product'), { production: true }),
  };
  let crashed = 0;
  for (const file of files) {
    // V8 decides when it collects garbage; with `--expose-gc` a benchmark can collect it before each measurement.
    const ending = await runToEnd(process.execPath, ['--expose-gc', file], { env, suiteTimeoutMs: TIMEOUT_MS });
    if (ending === 'ended with exit code 0') continue;
    console.error(`${basename(file)} ${ending}`);
    crashed++;
  }
  const results = readLines<BenchResult>(resultsFile);
  const programs = readLines<ProgramResult>(programsFile);
  const growth = readLines<GrowthResult>(growthFile);
  if (results.length + programs.length + growth.length + crashed === 0) {
    throw new UserError(`no row has "${String(values.row)}" in its name`);
  }
  const isWritten = values.write === true && crashed === 0;
  if (results.length > 0) show('rows', benchTable(results), isWritten);
  if (programs.length > 0) show('programs', programTable(programs), isWritten);
  if (growth.length > 0) showGrowth(growth, join(ROOT, 'docs', 'images', 'speed'));
  return crashed > 0 ? 1 : 0;
});

function show(part: SpeedPart, table: string, isWritten: boolean): void {
  console.log(`\n${table}`);
  if (isWritten) writeSpeedPart(part, table);
}

/** Builds the benchmarks with the options of the product, and the compile worker. Resolves with the paths of the benchmarks. */
async function bundle(): Promise<string[]> {
  const outdir = join(OUT, 'bench');
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const sources = globSync('test/bench/**/*.bench.ts', { cwd: ROOT }).sort();
  const named = sources.map(file => [basename(file, '.ts'), join(ROOT, file)] as const);
  const entryPoints = {
    ...Object.fromEntries(named),
    [WORKER]: join(ROOT, 'src/hook-load/compile/transform-worker.ts'),
  };
  const product = hostOptions({ production: false, outdir });
  await esbuild.build({ ...product, entryPoints, banner: { js: REQUIRE }, sourcemap: false, legalComments: 'none' });
  return named.map(([name]) => join(outdir, `${name}.js`));
}

/** Reads the results in a file, which has one JSON text per line; empty when there is no file. */
function readLines<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map(line => JSON.parse(line) as T);
}
