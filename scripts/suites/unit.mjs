import { bundleSuite } from '../build/test-bundles.mjs';
import { runMochaSuite } from '../support/suite.mjs';

/**
 * Runs test/**\/*.spec.ts in plain Node.
 * @param {{ grep?: string, file?: string }} options
 * @returns {Promise<import('../support/suite.mjs').SuiteResult>}
 */
export async function runUnitSuite({ grep, file }) {
  const files = await bundleSuite('unit', { file });
  return runMochaSuite({ suite: 'unit', files, grep });
}
