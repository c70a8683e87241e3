import Mocha from 'mocha';
import { writeFileSync } from 'node:fs';
import { format } from 'node:util';

/** Stands before each line of the report when `markLines` asks for it; it is invisible in a terminal. */
export const LINE_MARK = '\u2063';

/** Member of `globalThis` in which a test counts what it tries (test/support/tried.ts); tests are bundles of their own. */
export const TRIES = Symbol.for('hookline.tries');

export interface MochaOptions {
  readonly files: readonly string[];
  readonly grep?: string | undefined;
  /** Milliseconds per test. */
  readonly timeout: number;
  /** Where to leave the counts, so that nobody has to read them from text. */
  readonly resultFile?: string | undefined;
  /** Tells the report from whatever else is printed in this process. */
  readonly markLines?: boolean | undefined;
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

/** What one run of mocha came to, as a whole and for each test file that had a part in it. */
export interface MochaReport extends Counts {
  readonly byFile: Readonly<Record<string, Counts>>;
  /** How many attacks each passed test went through, by its full title. */
  readonly tries: Readonly<Record<string, number>>;
}

/** Runs mocha in this process. */
export async function runMocha({ files, grep, timeout, resultFile, markLines }: MochaOptions): Promise<MochaReport> {
  if (markLines) Mocha.reporters.Base.consoleLog = printMarked;
  const color = process.stdout.isTTY;
  const pattern = grep === undefined ? {} : { grep };
  const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout, ...pattern, forbidOnly: !grep, color });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const total = noCounts();
  const byFile: Record<string, Counts> = {};
  const tries: Record<string, number> = {};
  /** The counts that one test is part of. */
  const countsOf = (test: Mocha.Runnable): readonly Counts[] =>
    test.file === undefined ? [total] : [total, (byFile[test.file] ??= noCounts())];
  await new Promise<void>(resolve => {
    const runner = mocha.run(() => resolve());
    runner.on('test', () => Reflect.deleteProperty(globalThis, TRIES));
    runner.on('pass', test => {
      for (const counts of countsOf(test)) counts.passed++;
      tries[test.fullTitle()] = Number(Reflect.get(globalThis, TRIES) ?? 1);
    });
    runner.on('fail', (test, error: unknown) => {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      for (const counts of countsOf(test)) {
        counts.failed++;
        counts.failures.push({ title: test.fullTitle(), reason });
      }
    });
    runner.on('pending', test => {
      for (const counts of countsOf(test)) counts.skipped++;
    });
  });
  const report = { ...total, byFile, tries };
  if (resultFile) writeFileSync(resultFile, JSON.stringify(report));
  return report;
}

function noCounts(): Counts {
  return { passed: 0, failed: 0, skipped: 0, failures: [] };
}

function printMarked(...parts: readonly unknown[]): void {
  console.log(format(...parts).replace(/^/gm, LINE_MARK));
}
