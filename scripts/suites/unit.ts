import { bundleSuite } from '../bundle-tests.ts';
import { runMochaParts, type SuiteOptions, type SuiteResult } from '../support/suite.ts';
import { makeTestPlace } from '../support/test-place.ts';

const SUITE_TIMEOUT_MS = 18 * 60_000;
const LONG_SUITE_TIMEOUT_MS = 4 * 60 * 60_000;
/** Matches tests that mostly wait for a browser or for a command line that they start. */
const WAITING = /[\\/]test[\\/](webview|modes)[\\/]/;

/**
 * Runs test/**\/*.spec.ts in plain Node, each part with an empty home folder and none of the developer's keys. All tests of
 * a folder are in one part, because they may share something, such as a port or a build.
 */
export async function runUnitSuite({ grep, file, isLong }: SuiteOptions): Promise<SuiteResult> {
  const files = await bundleSuite('unit', { file });
  const places = [makeTestPlace(), makeTestPlace()] as const;
  const [env, envOfWaiting] = places.map(place => ({ ...place.env, ...(isLong ? { HOOKLINE_TEST_LONG: 'yes' } : {}) }));
  const common = { grep, suiteTimeoutMs: isLong ? LONG_SUITE_TIMEOUT_MS : SUITE_TIMEOUT_MS };
  try {
    return await runMochaParts([
      { ...common, suite: 'unit', files: files.filter(path => !WAITING.test(path)), env },
      { ...common, suite: 'unit-waiting', files: files.filter(path => WAITING.test(path)), env: envOfWaiting },
    ]);
  } finally {
    for (const place of places) place.remove();
  }
}
