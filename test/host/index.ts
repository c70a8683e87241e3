import { globSync } from 'node:fs';
import { join } from 'node:path';
import { runMocha, type MochaOptions } from '../../scripts/support/mocha-run.ts';

/** Where F5 ("Host tests" in launch.json) finds what `npm test -- --suite host` bundled. */
const BUNDLED = join(import.meta.dirname, '..', '..', 'out', 'host', 'test', 'host');

/**
 * Called by VS Code inside the extension host; throws when a test fails, which becomes the exit code.
 * `HOOKLINE_TEST_OPTIONS` says what to run and where to leave the counts; without it, everything bundled runs.
 */
export async function run(): Promise<void> {
  const { failed } = await runMocha(optionsFromEnvironment());
  if (failed > 0) throw new Error(`${failed} tests failed`);
}

function optionsFromEnvironment(): MochaOptions {
  const given = process.env['HOOKLINE_TEST_OPTIONS'];
  // Written by our own scripts/suites/host.ts, which shares the type.
  if (given !== undefined) return JSON.parse(given) as MochaOptions;
  const files = globSync('**/*.test.mjs', { cwd: BUNDLED }).map(file => join(BUNDLED, file));
  return { files, timeout: 0 };
}
