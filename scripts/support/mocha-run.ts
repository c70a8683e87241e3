import Mocha from 'mocha';
import { writeFileSync } from 'node:fs';
import { format } from 'node:util';
import { shareFiles } from './shared-files.ts';

/** With `markLines`, each line of the report begins with this character, which is invisible in a terminal. */
export const LINE_MARK = '\u2063';

/** Member of `globalThis` in which a test counts its attacks (test/support/tried.ts). Tests are separate bundles. */
export const TRIES = Symbol.for('hookline.tries');

/** Member of a skipped test: what it needs that this system lacks (test/support/platform.ts). */
export const NEEDS = Symbol.for('hookline.needs');

export interface MochaOptions {
  readonly files: readonly string[];
  readonly grep?: string | undefined;
  /** Milliseconds per test. */
  readonly timeout: number;
  /** Absolute path of a file that the report is written to, as JSON. */
  readonly resultFile?: string | undefined;
  /** Marks the lines of the report, so that they can be separated from other output; see `LINE_MARK`. */
  readonly markLines?: boolean | undefined;
  /** A test that is skipped fails. */
  readonly skipsFail?: boolean | undefined;
  /** Present: other processes run the same files, and only those run here that this process claims; see `shareFiles`. */
  readonly claims?: string | undefined;
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  readonly failures: Failure[];
}

export interface Failure {
  /** Full title of the test. */
  readonly title: string;
  /** First line of the error. */
  readonly reason: string;
}

/** The result of one run of mocha, in total and for each test file. */
export interface MochaReport extends Counts {
  readonly byFile: Readonly<Record<string, Counts>>;
  /** How many attacks each passed test made, by its full title. */
  readonly tries: Readonly<Record<string, number>>;
  /** Tests that this system cannot run, with what they need. They count neither as passed nor as skipped. */
  readonly notHere: readonly Failure[];
}

/** Runs mocha in this process. A `describe` without tests fails, because its table may have come out empty. */
export async function runMocha({ files, grep, timeout, ...rest }: MochaOptions): Promise<MochaReport> {
  const { resultFile, markLines, skipsFail, claims } = rest;
  if (markLines) Mocha.reporters.Base.consoleLog = printMarked;
  const color = process.stdout.isTTY;
  const pattern = grep === undefined ? {} : { grep };
  const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout, ...pattern, forbidOnly: !grep, color });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const total = noCounts();
  const byFile: Record<string, Counts> = {};
  const tries: Record<string, number> = {};
  const notHere: Failure[] = [];
  /** The counts to which a test belongs. */
  const countsOf = (test: Mocha.Runnable | Mocha.Suite): readonly Counts[] =>
    test.file === undefined ? [total] : [total, (byFile[test.file] ??= noCounts())];
  const fail = (test: Mocha.Runnable | Mocha.Suite, reason: string): void => {
    for (const counts of countsOf(test)) {
      counts.failed++;
      counts.failures.push({ title: test.fullTitle(), reason });
    }
  };
  const failEmpty = (suites: readonly Mocha.Suite[]): void => {
    for (const suite of suites.flatMap(emptySuites)) fail(suite, 'it has no tests');
  };
  await new Promise<void>(resolve => {
    const runner = mocha.run(() => resolve());
    const root = mocha.suite;
    if (claims === undefined) {
      failEmpty(root.suites);
    } else {
      const takeNextFile = shareFiles(root, claims, suite => runner.grepTotal(suite) > 0);
      failEmpty(takeNextFile());
      runner.on('suite end', suite => {
        if (suite === root.suites.at(-1)) failEmpty(takeNextFile());
      });
    }
    runner.on('test', () => Reflect.deleteProperty(globalThis, TRIES));
    runner.on('pass', test => {
      for (const counts of countsOf(test)) counts.passed++;
      tries[test.fullTitle()] = Number(Reflect.get(globalThis, TRIES) ?? 1);
    });
    runner.on('fail', (test, error: unknown) => {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      fail(test, reason);
    });
    runner.on('pending', test => {
      const need: unknown = Reflect.get(test, NEEDS);
      // The file has been run, also when all of its tests are such.
      if (typeof need === 'string') void (countsOf(test), notHere.push({ title: test.fullTitle(), reason: need }));
      else if (skipsFail === true) fail(test, 'it was skipped');
      else for (const counts of countsOf(test)) counts.skipped++;
    });
  });
  const report = { ...total, byFile, tries, notHere };
  if (resultFile) writeFileSync(resultFile, JSON.stringify(report));
  return report;
}

/** The suites below a suite, itself included, that contain neither a test nor a suite. */
function emptySuites(suite: Mocha.Suite): readonly Mocha.Suite[] {
  const isEmpty = suite.tests.length === 0 && suite.suites.length === 0;
  return isEmpty ? [suite] : suite.suites.flatMap(emptySuites);
}

function noCounts(): Counts {
  return { passed: 0, failed: 0, skipped: 0, failures: [] };
}

function printMarked(...parts: readonly unknown[]): void {
  console.log(format(...parts).replace(/^/gm, LINE_MARK));
}
