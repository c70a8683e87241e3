import { bundleTests } from '../build/test-bundles.mjs';
import { runMochaSuite } from '../support/suite.mjs';

const OTHER_SUITES = ['test/host/**', 'test/e2e/**', 'test/peers/**', 'test/bench/**', 'test/fixtures/**'];

/**
 * Runs test/**\/*.spec.ts in plain Node.
 * @param {{ grep?: string }} options
 * @returns {Promise<import('../support/suite.mjs').SuiteResult>}
 */
export async function runUnitSuite({ grep }) {
  const files = await bundleTests({ suite: 'unit', pattern: 'test/**/*.spec.ts', exclude: OTHER_SUITES });
  return runMochaSuite({ suite: 'unit', files, grep });
}
