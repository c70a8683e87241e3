import Mocha from 'mocha';
import { writeFileSync } from 'node:fs';
import { format } from 'node:util';

/** Stands before each line of the report when `markLines` asks for it; it is invisible in a terminal. */
export const LINE_MARK = '\u2063';

/**
 * Runs mocha in this process and leaves the counts in a file, so that nobody has to read them from text.
 * @param {{ files: string[], grep?: string, timeout: number, resultFile?: string, markLines?: boolean }} options
 *   `timeout` in ms, per test; `markLines` tells the report from whatever else is printed in this process
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runMocha({ files, grep, timeout, resultFile, markLines }) {
  if (markLines) Mocha.reporters.Base.consoleLog = printMarked;
  const color = process.stdout.isTTY === true;
  const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout, grep, forbidOnly: !grep, color });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  await new Promise(resolve => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', () => counts.passed++);
    runner.on('fail', () => counts.failed++);
    runner.on('pending', () => counts.skipped++);
  });
  if (resultFile) writeFileSync(resultFile, JSON.stringify(counts));
  return counts;
}

function printMarked(...parts) {
  console.log(format(...parts).replace(/^/gm, LINE_MARK));
}
