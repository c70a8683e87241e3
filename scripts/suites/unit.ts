import { bundleSuite } from '../bundle-tests.ts';
import { runMochaSuite, type SuiteOptions, type SuiteResult } from '../support/suite.ts';
import { makeTestPlace } from '../support/test-place.ts';

const SUITE_TIMEOUT_MS = 15 * 60_000;

/** Runs test/**\/*.spec.ts in plain Node, with an empty home folder and none of the developer's keys. */
export async function runUnitSuite({ grep, file }: SuiteOptions): Promise<SuiteResult> {
  const files = await bundleSuite('unit', { file });
  const place = makeTestPlace();
  try {
    return await runMochaSuite({ suite: 'unit', files, grep, env: place.env, suiteTimeoutMs: SUITE_TIMEOUT_MS });
  } finally {
    place.remove();
  }
}
