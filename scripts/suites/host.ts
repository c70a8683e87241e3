import { runTests } from '@vscode/test-electron';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleSuite } from '../bundle-tests.ts';
import { buildForProduction } from '../build.ts';
import { CALM_SETTINGS } from '../support/calm-window.ts';
import { isMain, runMain } from '../support/fail.mjs';
import type { MochaOptions } from '../support/mocha-run.ts';
import { OUT, ROOT } from '../support/paths.ts';
import {
  freshResultFile,
  NOTHING,
  readResult,
  runToEnd,
  SKIPS_FAIL,
  withLog,
  withSecondTry,
  withSilentFiles,
  type SuiteOptions,
  type SuiteResult,
} from '../support/suite.ts';
import { makeTestPlace } from '../support/test-place.ts';
import { writeUserSettings } from '../support/user-settings.ts';

const TEST_TIMEOUT_MS = 60_000;
const SUITE_TIMEOUT_MS = 12 * 60_000;
const LONG_SUITE_TIMEOUT_MS = 4 * 60 * 60_000;

/** The file that VS Code loads. It runs the test files. */
const INDEX = join(OUT, 'host', 'test', 'host', 'index.mjs');

type Launch = Parameters<typeof runTests>[0];

/**
 * Runs test/host/**\/*.test.ts inside a real extension host, with `runTests` of `@vscode/test-electron`. It uses VS Code's
 * server from npm. With `HOOKLINE_TEST_HOST=electron` it uses a desktop VS Code: the program that `HOOKLINE_DESKTOP` names,
 * else one that `@vscode/test-electron` downloads.
 */
export async function runHostSuite({ grep, file, isLong = false, whenAlone }: SuiteOptions): Promise<SuiteResult> {
  const { tests: files } = await bundleSuite('host', { file });
  if (files.length === 0) return NOTHING;
  await buildForProduction();
  const run = (some: readonly string[], output?: number): Promise<SuiteResult> =>
    runInHost(some, { grep, isLong, output });
  const first = whenAlone === undefined ? await run(files) : await withLog('host', output => run(files, output));
  const result = await withSecondTry(first, files, run, whenAlone);
  return grep === undefined ? withSilentFiles(result, files) : result;
}

async function runInHost(
  files: readonly string[],
  {
    grep,
    isLong,
    output,
  }: { readonly grep: string | undefined; readonly isLong: boolean; readonly output: number | undefined },
): Promise<SuiteResult> {
  const resultFile = freshResultFile('host');
  const place = makeTestPlace();
  // Most tests are about hooks, so the mode Auto fits them. Tests about approvals set their own mode.
  writeUserSettings(place.serverDataDir, {
    ...CALM_SETTINGS,
    'hookline.approvals.defaultMode': 'auto',
    'hookline.hooks.commandsInPalette': 'always',
    // A page takes the focus when it has loaded, which on a busy machine may be during a later test.
    'workbench.quickOpen.closeOnFocusLost': false,
  });
  try {
    const skipsFail = SKIPS_FAIL;
    const options: MochaOptions = { files, grep, timeout: TEST_TIMEOUT_MS, resultFile, markLines: true, skipsFail };
    const env = {
      ...process.env,
      ...place.env,
      HOOKLINE_TEST_OPTIONS: JSON.stringify(options),
      HOOKLINE_TEST_WORKSPACE: place.workspace,
      HOOKLINE_TEST_HOME: place.home,
      ...(isLong ? { HOOKLINE_TEST_LONG: 'yes' } : {}),
    };
    const launch: Launch = {
      version: 'stable',
      vscodeExecutablePath: testHost(),
      extensionDevelopmentPath: ROOT,
      extensionTestsPath: INDEX,
      launchArgs: [
        place.workspace,
        `--user-data-dir=${place.serverDataDir}`,
        `--extensions-dir=${place.extensionsDir}`,
        '--disable-workspace-trust',
      ],
    };
    const args = [import.meta.filename, JSON.stringify(launch)];
    const ending = await runToEnd(process.execPath, args, {
      env,
      output,
      suiteTimeoutMs: isLong ? LONG_SUITE_TIMEOUT_MS : SUITE_TIMEOUT_MS,
    });
    return readResult('host', resultFile, ending);
  } finally {
    place.remove();
  }
}

/** Path of the program that is started as VS Code; undefined lets `@vscode/test-electron` download one. */
function testHost(): string | undefined {
  if (process.env['HOOKLINE_TEST_HOST'] === 'electron') return process.env['HOOKLINE_DESKTOP'];
  const program = join(ROOT, 'scripts', 'host-executable.ts');
  mkdirSync(OUT, { recursive: true });
  if (process.platform === 'win32') {
    const file = join(OUT, 'vscode-test-host.cmd');
    writeFileSync(file, `@"${process.execPath}" "${program}" %*\r\n`);
    return file;
  }
  const file = join(OUT, 'vscode-test-host');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
  return file;
}

// `runHostSuite` starts this file as a separate process that runs VS Code: `node host.ts <options of runTests as JSON>`.
if (isMain(import.meta.url)) {
  const launch = JSON.parse(process.argv[2] ?? '') as Launch;
  await runMain(() => runTests(launch));
}
