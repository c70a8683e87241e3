import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundleSuite } from '../bundle-tests.ts';
import { packageExtension } from '../package.ts';
import { bringTodaysPi } from '../support/peer-packages.ts';
import { longestFirst } from '../support/shared-files.ts';
import { NOTHING, runMochaParts, type SuiteOptions, type SuiteResult } from '../support/suite.ts';
import { makeTestPlace } from '../support/test-place.ts';
import { installExtension } from '../vscode-server.ts';

const TEST_TIMEOUT_MS = 240_000;
const SUITE_TIMEOUT_MS = 45 * 60_000;

/** How many processes share the files. With three on two processors, some tests waited a minute in vain. */
const AT_A_TIME = 2;

/** Matches the test that uses examples of the real pi, which are downloaded once. */
const PI_EXAMPLES = /[\\/]pi-examples\.e2e\.mjs$/;

/**
 * Runs test/e2e/**\/*.e2e.ts: tests of VS Code's server with the packaged VSIX, in a real headless browser. Each
 * process has one server and one browser, and takes the next file when it has finished one.
 */
export async function runE2eSuite({ grep, file }: SuiteOptions): Promise<SuiteResult> {
  const { tests, support } = await bundleSuite('e2e', { file });
  if (tests.length === 0) return NOTHING;
  const vsix = await packageExtension();
  const examples = tests.some(path => PI_EXAMPLES.test(path))
    ? { HOOKLINE_TEST_PI_EXAMPLES: join(await bringTodaysPi(), 'examples', 'extensions') }
    : {};
  const place = makeTestPlace();
  try {
    await installExtension({ vsixes: [vsix], extensionsDir: place.extensionsDir, serverDataDir: place.serverDataDir });
    const files = longestFirst(tests);
    const processes = Math.min(AT_A_TIME, files.length);
    const claims = join(place.root, 'claims');
    mkdirSync(claims);
    const env = { HOOKLINE_TEST_EXTENSIONS: place.extensionsDir, HOOKLINE_TEST_VSIX: vsix, ...examples };
    return await runMochaParts(
      Array.from({ length: processes }, () => files),
      Array.from({ length: processes }, () => env),
      { suite: 'e2e', support, grep, claims, testTimeoutMs: TEST_TIMEOUT_MS, suiteTimeoutMs: SUITE_TIMEOUT_MS },
    );
  } finally {
    place.remove();
  }
}
