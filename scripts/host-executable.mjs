// Behaves like a desktop VS Code that was started to run extension tests: takes the arguments that
// `@vscode/test-electron` gives, runs them in VS Code's own server with a headless browser as its window, and exits
// with the tests' exit code.
import { chromium } from 'playwright-core';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { findBrowser } from './browser.mjs';
import { runMain, UserError } from './support/fail.mjs';
import { LINE_MARK } from './support/mocha-run.mjs';
import { ARTIFACTS } from './support/paths.mjs';
import { startServer } from './vscode-server.mjs';

const LOAD_TIMEOUT_MS = 60_000;

await runMain(async () => {
  const { options, folders } = readArguments(process.argv.slice(2));
  const server = await startServer({
    serverDataDir: options['user-data-dir'],
    extensionsDir: options['extensions-dir'],
    disableTrust: 'disable-workspace-trust' in options,
    smokeTestDriver: true,
  });
  const stop = async () => {
    await server.stop();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop);
  try {
    return await runInBrowser(testPage(server, options, folders[0]));
  } finally {
    await server.stop();
  }
});

function readArguments(args) {
  const options = {};
  const folders = [];
  for (const arg of args) {
    const [, name, value = ''] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) folders.push(arg);
    else options[name] = value;
  }
  for (const name of ['user-data-dir', 'extensions-dir', 'extensionDevelopmentPath', 'extensionTestsPath']) {
    if (!options[name]) throw new UserError(`host-executable.mjs needs --${name}=`);
  }
  return { options, folders };
}

function testPage(server, options, folder) {
  const remote = path => `vscode-remote://127.0.0.1:${server.port}${encodeURI(path)}`;
  const payload = [
    ['extensionDevelopmentPath', remote(options.extensionDevelopmentPath)],
    ['extensionTestsPath', remote(options.extensionTestsPath)],
    ['skipWelcome', 'true'],
  ];
  const query = new URLSearchParams({ ...(folder ? { folder } : {}), payload: JSON.stringify(payload) });
  return `${server.url}?${query}`;
}

async function runInBrowser(url) {
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const ended = new Promise((resolve, reject) => {
      void page.exposeFunction('codeAutomationExit', code => resolve(code));
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

/** The tests' report goes to the terminal; all that VS Code and its own extensions say goes to a file. */
function consoleWriter() {
  mkdirSync(ARTIFACTS, { recursive: true });
  const file = join(ARTIFACTS, 'host-console.log');
  writeFileSync(file, '');
  return (level, parts) => {
    const text = format(...parts);
    if (text.startsWith(LINE_MARK)) console.log(text.replaceAll(LINE_MARK, ''));
    else appendFileSync(file, `[${level}] ${text}\n`);
  };
}

async function keepScreenshot(page) {
  await page.screenshot({ path: join(ARTIFACTS, 'host-failure.png') });
}
