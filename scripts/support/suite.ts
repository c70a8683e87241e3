import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { WhenAlone } from './beside.ts';
import type { Counts, Failure, MochaOptions, MochaReport } from './mocha-run.ts';
import { OUT, ROOT } from './paths.ts';
import { spawnTree } from './processes.ts';

/** Which part of a suite runs. */
export interface SuiteOptions {
  readonly grep?: string | undefined;
  /** Only test files whose path contains this text run. */
  readonly file?: string | undefined;
  /** Soak and fuzz tests of the unit and host suites run at full length. */
  readonly isLong?: boolean | undefined;
  /** Golden files are written, and not compared (test/support/golden.ts). */
  readonly updatesGolden?: boolean | undefined;
  /** Present when other suites run beside this one. */
  readonly whenAlone?: WhenAlone | undefined;
}

/** The result of a suite. `problem` says why the suite failed for another reason than a failed test. */
export interface SuiteResult extends Readonly<Counts> {
  readonly problem?: string;
  /** The counts of each test file, where they are known. */
  readonly byFile?: Readonly<Record<string, Counts>>;
  /** See {@link MochaReport}. */
  readonly tries?: Readonly<Record<string, number>>;
  /** See {@link MochaReport}. */
  readonly notHere?: readonly Failure[];
  /** Tests that failed first and passed when their file ran again alone. */
  readonly unsteady?: readonly Failure[];
}

/** The result of a suite of which nothing was to run. */
export const NOTHING: SuiteResult = { passed: 0, failed: 0, skipped: 0, failures: [] };

/** On Linux, every test runs. Elsewhere, tests are skipped that need what only Linux or POSIX has. */
export const SKIPS_FAIL = process.platform === 'linux';

/** When more files than this fail, it is not by accident, and nothing runs again. */
const MOST_FILES_AGAIN = 8;

interface MochaSuite {
  readonly suite: string;
  readonly files: readonly string[];
  /** Files without tests that all test files need. */
  readonly support?: readonly string[];
  readonly grep?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Descriptor of a file for the output; absent: our own output. */
  readonly output?: number | undefined;
  readonly testTimeoutMs?: number;
  readonly suiteTimeoutMs?: number;
  readonly whenAlone?: WhenAlone | undefined;
  /** See {@link MochaOptions}. */
  readonly claims?: string | undefined;
  /** A program with its arguments that runs the process of the tests, such as one that takes the network from it. */
  readonly within?: readonly string[];
}

interface MochaPartsOptions extends Omit<MochaSuite, 'files' | 'env'> {
  /** A failed test has failed, and does not run again ({@link withSecondTry}). */
  readonly triesOnce?: boolean;
}

/**
 * Runs the parts of a suite, each in its own process. One process at a time runs in each of the environments, and takes the
 * next part when one has ended. On a single processor, only the first environment is used. The report of the only part is
 * printed while it runs, the reports of several parts when they end. Parts may share files, see {@link MochaOptions.claims}.
 */
export async function runMochaParts(
  parts: readonly (readonly string[])[],
  environments: readonly NodeJS.ProcessEnv[],
  { triesOnce = false, ...common }: MochaPartsOptions,
): Promise<SuiteResult> {
  const { suite, grep } = common;
  const isAlone = parts.length === 1;
  const waiting = parts.map((files, index) => ({ ...common, files, suite: isAlone ? suite : `${suite}-${index + 1}` }));
  const results: SuiteResult[] = [];
  const runWaiting = async (env: NodeJS.ProcessEnv): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      results.push(await (isAlone ? runMochaSuite({ ...part, env }) : runIntoLog({ ...part, env })));
    }
  };
  const used = availableParallelism() < 2 ? environments.slice(0, 1) : environments;
  await Promise.all(used.map(runWaiting));
  const files = [...new Set(parts.flat())];
  const again = (some: readonly string[]): Promise<SuiteResult> =>
    runMochaSuite({ ...common, claims: undefined, files: some, env: used[0] });
  const first = sumOf(results);
  const result = triesOnce ? first : await withSecondTry(first, files, again, common.whenAlone);
  return grep === undefined ? withSilentFiles(result, files) : result;
}

/**
 * Fails a suite for each of its files that reported no test: the file has none, or no process came to it. Not for a run of
 * some tests, of which a file may have none.
 */
export function withSilentFiles(result: SuiteResult, files: readonly string[]): SuiteResult {
  const { byFile = {}, problem } = result;
  const silent = problem === undefined ? files.filter(file => byFile[file] === undefined) : [];
  const failures = silent.map(file => ({ title: relative(OUT, file), reason: 'none of its tests ran' }));
  return { ...result, failed: result.failed + failures.length, failures: [...result.failures, ...failures] };
}

/**
 * Runs test files with failed tests again, alone. A test that passes then was disturbed by the load of the machine: it
 * counts as passed and is reported as unsteady. A test that fails again has failed.
 *
 * @param first - the result of the first run of `files`
 * @param again - runs some of `files`
 * @param whenAlone - waits for the suites that run beside this one; absent: there are none
 */
export async function withSecondTry(
  first: SuiteResult,
  files: readonly string[],
  again: (files: readonly string[]) => Promise<SuiteResult>,
  whenAlone: WhenAlone = run => run(),
): Promise<SuiteResult> {
  const counted = first.byFile ?? {};
  const failed = files.filter(file => (counted[file]?.failed ?? 0) > 0);
  const known = failed.reduce((sum, file) => sum + (counted[file]?.failed ?? 0), 0);
  if (failed.length === 0 || failed.length > MOST_FILES_AGAIN || known < first.failed) return first;
  const second = await whenAlone(() => {
    console.log(`\n=== once more, alone: ${failed.map(file => basename(file)).join(', ')} ===`);
    return again(failed).then(result => withSilentFiles(result, failed));
  });
  const { passed, skipped, failures } = sumOf(failed.map(file => counted[file] ?? failedSuite(file)));
  return {
    ...second,
    byFile: { ...counted, ...second.byFile },
    tries: { ...first.tries, ...second.tries },
    passed: first.passed - passed + second.passed,
    skipped: first.skipped - skipped + second.skipped,
    notHere: first.notHere ?? [],
    unsteady: failures.filter(({ title }) => !second.failures.some(other => other.title === title)),
  };
}

function runIntoLog(part: MochaSuite): Promise<SuiteResult> {
  return withLog(part.suite, output => runMochaSuite({ ...part, output }));
}

/** Gives `run` the descriptor of a log for its output, and prints the log when `run` has ended. */
export async function withLog<T>(name: string, run: (output: number) => Promise<T>): Promise<T> {
  const log = join(OUT, `${name}.log`);
  const output = openSync(log, 'w');
  try {
    return await run(output);
  } finally {
    closeSync(output);
    process.stdout.write(readFileSync(log, 'utf8'));
  }
}

/** Runs bundled test files with mocha in a separate Node process. */
export async function runMochaSuite(options: MochaSuite): Promise<SuiteResult> {
  const { suite, files, support = [], grep, env = {}, output, claims, within = [] } = options;
  const { testTimeoutMs = 60_000, suiteTimeoutMs = 10 * 60_000 } = options;
  const resultFile = freshResultFile(suite);
  const runner = join(ROOT, 'scripts', 'support', 'mocha-process.ts');
  const all = [...support, ...files];
  const settings: MochaOptions = {
    files: all,
    grep,
    timeout: testTimeoutMs,
    resultFile,
    skipsFail: SKIPS_FAIL,
    claims,
  };
  const args = ['--enable-source-maps', '--expose-gc', runner, JSON.stringify(settings)];
  const [file = process.execPath, ...rest] = [...within, process.execPath, ...args];
  const ending = await runToEnd(file, rest, { env: { ...process.env, ...env }, output, suiteTimeoutMs });
  return readResult(suite, resultFile, ending);
}

/** Path of the file that the suite must write its result to. Removes an old file. */
export function freshResultFile(suite: string): string {
  mkdirSync(join(OUT, 'results'), { recursive: true });
  const file = join(OUT, 'results', `${suite}-${process.pid}.json`);
  rmSync(file, { force: true });
  return file;
}

/**
 * Runs a program that prints to our output, or to the file descriptor `output`. After `suiteTimeoutMs`, kills it and all its
 * descendants. Resolves with a phrase that says how it ended.
 */
export function runToEnd(
  file: string,
  args: readonly string[],
  {
    env,
    suiteTimeoutMs,
    output,
  }: { readonly env: NodeJS.ProcessEnv; readonly suiteTimeoutMs: number; readonly output?: number | undefined },
): Promise<string> {
  const { child, end } = spawnTree(file, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      void end();
    }, suiteTimeoutMs);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      if (late) resolve(`was stopped after ${Math.round(suiteTimeoutMs / 60_000)} minutes`);
      else resolve(signal ? `was ended by ${signal}` : `ended with exit code ${String(code)}`);
    });
  });
}

/** Reads the result file of a suite; `ending` is the phrase that says how its process ended. */
export function readResult(suite: string, resultFile: string, ending: string): SuiteResult {
  if (!existsSync(resultFile)) return failedSuite(`${suite}: ${ending} without a result`);
  const counts = JSON.parse(readFileSync(resultFile, 'utf8')) as MochaReport; // Written by runMocha.
  rmSync(resultFile, { force: true });
  if (counts.failed === 0 && ending !== 'ended with exit code 0') {
    return { ...counts, failed: 1, problem: `${suite}: no test failed, but it ${ending}` };
  }
  return counts;
}

/** The result of a suite that could not run. */
export function failedSuite(problem: string): SuiteResult {
  return { passed: 0, failed: 1, skipped: 0, failures: [], problem };
}

/** The sum of several results. */
export function sumOf(results: readonly SuiteResult[]): SuiteResult {
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    results.reduce((total, result) => total + result[key], 0);
  const failures = results.flatMap(result => result.failures);
  const unsteady = results.flatMap(result => result.unsteady ?? []);
  const notHere = results.flatMap(result => result.notHere ?? []);
  const tries = Object.assign({}, ...results.map(result => result.tries)) as Readonly<Record<string, number>>;
  const byFile = Object.assign({}, ...results.map(result => result.byFile)) as Readonly<Record<string, Counts>>;
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  const details = { byFile, failures, unsteady, tries, notHere };
  const problem = results.flatMap(result => result.problem ?? []).join('; ');
  return { ...counts, ...details, ...(problem === '' ? {} : { problem }) };
}

/** One line for each failed or unsteady test, and a last line with the counts. CI reads both. */
export function closingLines(results: readonly SuiteResult[]): string {
  const { passed, failed, skipped, failures, unsteady = [], problem } = sumOf(results);
  const lines = [
    ...unsteady.map(({ title, reason }) => `unsteady: ${title}: ${reason}`),
    ...failures.map(({ title, reason }) => `failed: ${title}: ${reason}`),
    ...(problem === undefined ? [] : [`failed: ${problem}`]),
  ];
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped`].join('\n');
}
