import { basename } from 'node:path';

/** More files than this do not fail by chance. */
const MOST_FILES = 3;

/**
 * Runs a suite; at most three files with failures run once more, whole and in a process of their own, and what counts
 * then is the second try. For tests whose keys, clicks and processes depend on how busy the machine is. That a file
 * needed it is printed, and is in `unsteady`.
 * @param {string} suite
 * @param {readonly string[]} files all of its bundled test files
 * @param {(files: readonly string[]) => Promise<import('./suite.mjs').SuiteResult>} run
 * @returns {Promise<import('./suite.mjs').SuiteResult>}
 */
export async function withSecondTry(suite, files, run) {
  const first = await run(files);
  const failed = Object.entries(first.files ?? {}).filter(([, counts]) => counts.failed > 0);
  if (first.problem || failed.length === 0 || failed.length > MOST_FILES) return first;
  const again = failed.map(([file]) => file);
  const names = again.map(file => basename(file)).join(', ');
  console.log(`\n${suite}: second try of ${names}\n`);
  const second = await run(again);
  const sum = key => failed.reduce((rest, [, counts]) => rest - counts[key], first[key]) + second[key];
  const result = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  if (second.problem) return { ...result, problem: second.problem };
  return second.failed > 0 ? result : { ...result, unsteady: names };
}
