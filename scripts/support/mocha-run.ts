import Mocha from 'mocha';
import { writeFileSync } from 'node:fs';
import { format } from 'node:util';

/** Stands before each line of the report when `markLines` asks for it; it is invisible in a terminal. */
export const LINE_MARK = '\u2063';

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
  /** Full titles of those that failed, each with the first line of its error. */
  readonly failures: string[];
}

/** Runs mocha in this process. */
export async function runMocha({ files, grep, timeout, resultFile, markLines }: MochaOptions): Promise<Counts> {
  if (markLines) Mocha.reporters.Base.consoleLog = printMarked;
  const color = process.stdout.isTTY;
  const pattern = grep === undefined ? {} : { grep };
  const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout, ...pattern, forbidOnly: !grep, color });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  await new Promise<void>(resolve => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', () => counts.passed++);
    runner.on('fail', (test, error: unknown) => {
      counts.failed++;
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      counts.failures.push(`${test.fullTitle()}: ${reason}`);
    });
    runner.on('pending', () => counts.skipped++);
  });
  if (resultFile) writeFileSync(resultFile, JSON.stringify(counts));
  return counts;
}

function printMarked(...parts: readonly unknown[]): void {
  console.log(format(...parts).replace(/^/gm, LINE_MARK));
}
