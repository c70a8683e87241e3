// Behaves like a desktop VS Code that is started to run extension tests. It takes the arguments of
// `@vscode/test-electron`, runs the tests in VS Code's own server with a headless browser as its window, and exits with
// their exit code.
import { chromium, type Page } from 'playwright-core';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, parseArgs } from 'node:util';
import { findBrowser } from './browser.ts';
import { STILL_SCRIPT } from './support/calm-window.ts';
import { runMain, UserError } from './support/fail.mjs';
import { LINE_MARK } from './support/mocha-run.ts';
import { ARTIFACTS } from './support/paths.ts';
import { stopRequest } from './support/processes.ts';
import { startServer, type RunningServer } from './vscode-server.ts';

const LOAD_TIMEOUT_MS = 60_000;

interface Arguments {
  readonly serverDataDir: string;
  readonly extensionsDir: string;
  readonly developmentPath: string;
  readonly testsPath: string;
  readonly disableTrust: boolean;
  readonly folder: string | undefined;
}

await runMain(async () => {
  const { serverDataDir, extensionsDir, disableTrust, ...rest } = readArguments(process.argv.slice(2));
  const server = await startServer({ serverDataDir, extensionsDir, disableTrust, smokeTestDriver: true });
  void stopRequest()
    .then(() => server.stop())
    .then(() => process.exit(1));
  try {
    return await runInBrowser(testPage(server, rest));
  } finally {
    await server.stop();
  }
});

function readArguments(args: string[]): Arguments {
  const { values, positionals } = parseArgs({ args, strict: false });
  const path = (name: string): string => {
    const value = values[name];
    if (typeof value !== 'string') throw new UserError(`host-executable.ts needs --${name}=`);
    return value;
  };
  return {
    serverDataDir: path('user-data-dir'),
    extensionsDir: path('extensions-dir'),
    developmentPath: path('extensionDevelopmentPath'),
    testsPath: path('extensionTestsPath'),
    disableTrust: values['disable-workspace-trust'] === true,
    folder: positionals[0],
  };
}

function testPage(server: RunningServer, given: Pick<Arguments, 'developmentPath' | 'testsPath' | 'folder'>): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${server.port}${encodeURI(path)}`;
  const payload = [
    ['extensionDevelopmentPath', remote(given.developmentPath)],
    ['extensionTestsPath', remote(given.testsPath)],
    ['skipWelcome', 'true'],
  ];
  const query = new URLSearchParams({
    ...(given.folder ? { folder: given.folder } : {}),
    payload: JSON.stringify(payload),
  });
  return `${server.url}?${String(query)}`;
}

async function runInBrowser(url: string): Promise<number> {
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    await page.addInitScript(STILL_SCRIPT);
    const ended = new Promise<number>((resolve, reject) => {
      void page.exposeFunction('codeAutomationExit', resolve);
      page.once('crash', () => reject(new UserError('the page with VS Code crashed')));
      page.once('close', () => reject(new UserError('the page with VS Code was closed')));
    });
    ended.catch(() => undefined);
    await page.exposeFunction('codeAutomationLog', consoleWriter());
    await page.goto(url, { timeout: LOAD_TIMEOUT_MS });
    await page.waitForSelector('.monaco-workbench', { timeout: LOAD_TIMEOUT_MS });
    const code = await ended;
    if (code !== 0) await keepScreenshot(page);
    page.removeAllListeners('close');
    return code;
  } finally {
    await browser.close();
  }
}

/** Prints the report of the tests to the terminal, and writes all other console output of VS Code to a file. */
function consoleWriter(): (level: string, parts: readonly unknown[]) => void {
  mkdirSync(ARTIFACTS, { recursive: true });
  const file = join(ARTIFACTS, 'host-console.log');
  writeFileSync(file, '');
  return (level, parts) => {
    const text = format(...parts);
    if (text.startsWith(LINE_MARK)) console.log(text.replaceAll(LINE_MARK, ''));
    else appendFileSync(file, `[${level}] ${text}\n`);
  };
}

async function keepScreenshot(page: Page): Promise<void> {
  await page.screenshot({ path: join(ARTIFACTS, 'host-failure.png') });
}
