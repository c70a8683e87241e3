import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bundleSuite } from '../bundle-tests.ts';
import { OUT } from '../support/paths.ts';
import { failedSuite, runMochaSuite, sumOf, type SuiteOptions, type SuiteResult } from '../support/suite.ts';
import { makeTestPlace } from '../support/test-place.ts';

const SUITE_TIMEOUT_MS = 15 * 60_000;
/** Tests that mostly wait for a browser or a command line of their own. */
const WAITING = /[\\/]test[\\/](webview|modes)[\\/]/;

/**
 * Runs test/**\/*.spec.ts in plain Node, each process with an empty home folder and none of the developer's keys. Two
 * processors run two processes, split by folder: what tests of one folder share (a port, a build) stays in one process.
 */
export async function runUnitSuite(options: SuiteOptions): Promise<SuiteResult> {
  const files = await bundleSuite('unit', options);
  const waiting = files.filter(file => WAITING.test(file));
  const others = files.filter(file => !WAITING.test(file));
  if (availableParallelism() < 2 || waiting.length === 0 || others.length === 0) {
    return runFiles('unit', files, options);
  }
  mkdirSync(OUT, { recursive: true });
  const log = join(OUT, 'unit-waiting.log');
  const output = openSync(log, 'w');
  const results = await Promise.all([
    runFiles('unit', others, options),
    runFiles('unit-waiting', waiting, options, output),
  ]);
  closeSync(output);
  process.stdout.write(readFileSync(log, 'utf8'));
  return sumOf(results);
}

/** `output`: where the report goes instead of to our own output. */
async function runFiles(
  suite: string,
  files: readonly string[],
  { grep, isLong }: SuiteOptions,
  output?: number,
): Promise<SuiteResult> {
  const place = makeTestPlace();
  const env = { ...place.env, ...(isLong ? { HOOKLINE_TEST_LONG: 'yes' } : {}) };
  try {
    return await runMochaSuite({ suite, files, grep, env, output, suiteTimeoutMs: SUITE_TIMEOUT_MS });
  } catch (error) {
    return failedSuite(`${suite}: could not run: ${String(error)}`);
  } finally {
    place.remove();
  }
}
