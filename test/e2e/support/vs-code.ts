import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findBrowser } from '../../../scripts/browser.ts';
import { CALM_SETTINGS, STILL_SCRIPT } from '../../../scripts/support/calm-window.ts';
import { makeTestPlace } from '../../../scripts/support/test-place.ts';
import { writeUserSettings } from '../../../scripts/support/user-settings.ts';
import {
  installExtension,
  startServer,
  type RunningServer,
  type RunProgram,
  type ServerVersion,
} from '../../../scripts/vscode-server.ts';

const VIEWPORT = { width: 1400, height: 900 };
/**
 * All windows of a server run in one process of the browser, which compiles VS Code's code only once. While a script is still
 * read, Chromium would compile it without looking for what is compiled already. Of two lists of features, only the last counts;
 * this one repeats what the tests need of Playwright's own.
 */
const ONE_PROCESS = [
  '--process-per-site',
  `--disable-features=${[
    'ScriptStreaming',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'MediaRouter',
    'OptimizationHints',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
  ].join(',')}`,
];
/** How long the extension host of a page that went without a word is kept, s. */
const GRACE_S = 20;

/** What a person finds there, other for each workbench. */
export interface Outfit {
  /** Written into the home folder, where `~/.pi` is: path below it -> text. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** User settings, laid over quiet ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The person's own keybindings.json. */
  readonly keybindings?: readonly Readonly<Record<string, string>>[];
}

/** What holds for a server as long as it runs. */
export interface ServerTraits {
  /** False opens the workspace in Restricted Mode. */
  readonly trust?: boolean;
  /** Development options in the page's address, such as `inspect-extensions`. */
  readonly payload?: readonly (readonly [name: string, value: string])[];
  /** Further packaged extensions to install, absolute paths. */
  readonly vsixes?: readonly string[];
  /** Environment of the extension host, laid over an isolated one without keys. */
  readonly env?: Readonly<Record<string, string>>;
  /** A VS Code other than the current one, which installs the packaged Hookline by itself. */
  readonly version?: ServerVersion;
  /** True for tests about what extensions leave behind in VS Code, and for those that need all of VS Code's own ones. */
  readonly ownServer?: boolean;
  /** Starts the server in other surroundings. */
  readonly run?: RunProgram;
}

let browser: Promise<Browser> | undefined;
let common: VsCode | undefined;

/**
 * A VS Code with the packaged Hookline and an empty home folder. Without traits of its own it is the one of this process
 * that each workbench gets in turn, cleaned of what the one before left; while that is taken, and after a failed test, it
 * is another one. The one of this process has only a few of VS Code's own extensions; all others have them all.
 */
export async function takeVsCode(options: Outfit & ServerTraits): Promise<VsCode> {
  const { trust = true, payload, vsixes, version, env, ownServer, run } = options;
  // Elsewhere nothing tells when the extension host before has ended.
  const isPlain =
    process.platform === 'linux' &&
    trust &&
    [payload, vsixes, version, env, ownServer, run].every(trait => trait === undefined);
  if (!isPlain || common?.isTaken === true) return VsCode.start(options);
  if (common?.isUsable === false) await dropCommon();
  if (common === undefined) common = await VsCode.start(options, true);
  else await common.renew(options);
  common.isTaken = true;
  return common;
}

/** After a failed test nobody knows in which state VS Code is. */
export function spoilVsCode(): void {
  if (common !== undefined) common.isSpoiled = true;
}

/** Ends what was kept for the next workbench; no process is left. */
export async function endVsCode(): Promise<void> {
  await dropCommon();
  await (await browser)?.close();
  browser = undefined;
}

async function dropCommon(): Promise<void> {
  const dropped = common;
  common = undefined;
  await dropped?.stop();
}

/** A VS Code server, its folders, and the part of the browser in which its pages are. */
export class VsCode {
  isTaken = false;
  isSpoiled = false;
  /** Stays open, so that the browser process of the windows does not end with one of them. */
  private keeper: Page | undefined;

  private constructor(
    readonly place: ReturnType<typeof makeTestPlace>,
    private readonly marker: string,
    private readonly server: RunningServer,
    private readonly context: BrowserContext,
  ) {}

  static async start(options: Outfit & ServerTraits, isCommon = false): Promise<VsCode> {
    const place = makeTestPlace();
    const { extensionsDir, serverDataDir } = place;
    const marker = `HOOKLINE_E2E_${process.pid}_${Date.now()}`;
    let server: RunningServer | undefined;
    try {
      const { version, vsixes = [] } = options;
      if (version === undefined) cpSync(installedExtensions(), extensionsDir, { recursive: true });
      const all = version === undefined ? vsixes : [given('HOOKLINE_TEST_VSIX'), ...vsixes];
      if (all.length > 0) await installExtension({ version, vsixes: all, extensionsDir, serverDataDir });
      furnish(place, options);
      server = await startServer({
        version,
        serverDataDir,
        extensionsDir,
        fewExtensions: isCommon,
        disableTrust: options.trust !== false,
        smokeTestDriver: options.payload !== undefined,
        reconnectionGraceSeconds: GRACE_S,
        env: { ...place.env, ...options.env, [marker]: '1' },
        run: options.run,
      });
      const context = await (
        await runningBrowser()
      ).newContext({ viewport: VIEWPORT, reducedMotion: 'reduce', locale: 'en-US' });
      await context.addInitScript(STILL_SCRIPT);
      const vsCode = new VsCode(place, marker, server, context);
      if (isCommon) await vsCode.keepProcess();
      return vsCode;
    } catch (error) {
      await server?.stop();
      place.remove();
      throw error;
    }
  }

  get url(): string {
    return this.server.url;
  }

  /** Whether another workbench may have it. */
  get isUsable(): boolean {
    return !this.isSpoiled && this.context.browser()?.isConnected() === true;
  }

  /** Removes what the workbench before left on disk, and furnishes it anew. Where that fails, nobody gets it again. */
  async renew(outfit: Outfit): Promise<void> {
    this.isSpoiled = true;
    await this.untilHostsEnded();
    const { home, extensionsDir, serverDataDir } = this.place;
    for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true });
    rmSync(join(serverDataDir, 'data', 'User'), { recursive: true });
    const list = (folder: string): string => readFileSync(join(folder, 'extensions.json'), 'utf8');
    if (list(extensionsDir) !== list(installedExtensions())) {
      for (const name of readdirSync(extensionsDir)) rmSync(join(extensionsDir, name), { recursive: true });
      cpSync(installedExtensions(), extensionsDir, { recursive: true });
    }
    furnish(this.place, outfit);
    this.isSpoiled = false;
  }

  /** A page that knows nothing of those before it, which are closed. */
  async newPage(): Promise<Page> {
    await this.closePages();
    const page = await this.context.newPage();
    const session = await this.context.newCDPSession(page);
    const storageTypes = 'cookies,local_storage,indexeddb,service_workers,cache_storage';
    await session.send('Storage.clearDataForOrigin', { origin: new URL(this.url).origin, storageTypes });
    await session.detach();
    return page;
  }

  /** Gives it back; it ends unless the next workbench may have it. */
  async leave(): Promise<void> {
    if (this !== common) return this.stop();
    if (!this.isUsable) return dropCommon();
    await this.closePages();
    this.isTaken = false;
  }

  async stop(): Promise<void> {
    if (this.context.browser()?.isConnected() === true) await this.context.close();
    await this.server.stop();
    this.place.remove();
  }

  private async keepProcess(): Promise<void> {
    this.keeper = await this.context.newPage();
    await this.keeper.goto(`${this.url}version`);
  }

  private async closePages(): Promise<void> {
    for (const page of this.context.pages()) if (page !== this.keeper) await page.close();
  }

  private async untilHostsEnded(): Promise<void> {
    const isHost = (pid: string): boolean =>
      inProc(pid, 'cmdline').includes('--type=extensionHost') && inProc(pid, 'environ').includes(this.marker);
    for (const end = Date.now() + 2 * GRACE_S * 1000; readdirSync('/proc').some(isHost);) {
      if (Date.now() > end) throw new Error('an extension host outlived its page');
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
}

function inProc(pid: string, name: string): string {
  try {
    return readFileSync(join('/proc', pid, name), 'utf8');
  } catch {
    return ''; // No process, or one that ended just now.
  }
}

function furnish(
  { home, serverDataDir }: VsCode['place'],
  { homeFiles = {}, settings, keybindings = [] }: Outfit,
): void {
  writeFiles(home, homeFiles);
  writeUserSettings(serverDataDir, {
    ...CALM_SETTINGS,
    'security.workspace.trust.startupPrompt': 'never',
    // Hooks are what most tests are about; those about approvals choose their own mode.
    'hookline.approvals.defaultMode': 'auto',
    'hookline.hooks.commandsInPalette': 'always',
    ...settings,
  });
  writeFiles(join(serverDataDir, 'data', 'User'), { 'keybindings.json': JSON.stringify(keybindings) });
}

/** Texts by their path below a folder. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

async function runningBrowser(): Promise<Browser> {
  if (browser === undefined || !(await browser).isConnected()) browser = launch();
  return browser;
}

async function launch(): Promise<Browser> {
  const { executablePath, args, env } = await findBrowser();
  return chromium.launch({ executablePath, args: [...args, ...ONE_PROCESS], env });
}

/** The folder of extensions into which the suite installed Hookline, absolute; to be copied. */
export function installedExtensions(): string {
  return given('HOOKLINE_TEST_EXTENSIONS');
}

/** What the suite says in the environment. */
function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error('end-to-end tests run through `npm test -- --suite e2e`');
  return value;
}
