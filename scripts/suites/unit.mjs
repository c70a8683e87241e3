import { bundleSuite } from '../build/test-bundles.mjs';
import { runMochaSuite } from '../support/suite.mjs';
import { makeTestPlace } from '../support/test-place.mjs';

const SUITE_TIMEOUT_MS = 15 * 60_000;

/**
 * Runs test/**\/*.spec.ts in plain Node, with an empty home folder and none of the developer's keys.
 * @param {{ grep?: string, file?: string }} options
 * @returns {Promise<import('../support/suite.mjs').SuiteResult>}
 */
export async function runUnitSuite({ grep, file }) {
  const files = await bundleSuite('unit', { file });
  const place = makeTestPlace();
  try {
    return await runMochaSuite({ suite: 'unit', files, grep, env: place.env, suiteTimeoutMs: SUITE_TIMEOUT_MS });
  } finally {
    place.remove();
  }
}
