import { bundleSuite } from '../bundle-tests.ts';
import { packageExtension } from '../package.ts';
import { runMochaSuite, type SuiteOptions, type SuiteResult } from '../support/suite.ts';
import { makeTestPlace } from '../support/test-place.ts';
import { installExtension } from '../vscode-server.ts';

const TEST_TIMEOUT_MS = 120_000;
const SUITE_TIMEOUT_MS = 18 * 60_000;

/** Runs test/e2e/**\/*.e2e.ts: VS Code's server with the packaged VSIX installed, driven in a real headless browser. */
export async function runE2eSuite({ grep, file }: SuiteOptions): Promise<SuiteResult> {
  const vsix = await packageExtension();
  const files = await bundleSuite('e2e', { file });
  const place = makeTestPlace();
  try {
    await installExtension({ vsixes: [vsix], extensionsDir: place.extensionsDir, serverDataDir: place.serverDataDir });
    return await runMochaSuite({
      suite: 'e2e',
      files,
      grep,
      env: { HOOKLINE_TEST_EXTENSIONS: place.extensionsDir },
      testTimeoutMs: TEST_TIMEOUT_MS,
      suiteTimeoutMs: SUITE_TIMEOUT_MS,
    });
  } finally {
    place.remove();
  }
}
