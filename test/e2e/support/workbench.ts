import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium, type Browser, type Frame, type Page } from 'playwright-core';
import { findBrowser } from '../../../scripts/browser.ts';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import { makeTestPlace, type TestPlace } from '../../../scripts/support/test-place.ts';
import { writeUserSettings } from '../../../scripts/support/user-settings.ts';
import { installExtension, startServer, type RunningServer } from '../../../scripts/vscode-server.ts';
import { QuickInput } from './quick-input';

const READY_TIMEOUT_MS = 60_000;
const VIEWPORT = { width: 1400, height: 900 };

export interface WorkbenchOptions {
  /** Folder to copy as the workspace; examples/workspace by default. */
  readonly workspace?: string;
  /** Name of the copy, for paths with spaces or other letters. */
  readonly name?: string;
  /** Written into the copy: path below it -> text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Written into the home folder, where `~/.pi` is: path below it -> text. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** User settings, laid over quiet ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The person's own keybindings.json. */
  readonly keybindings?: readonly Readonly<Record<string, string>>[];
  /** False opens the workspace in Restricted Mode. */
  readonly trust?: boolean;
  /** VS Code's own language, such as `de`. Without its language pack VS Code's own texts stay English. */
  readonly language?: string;
  /** False opens VS Code without a folder. */
  readonly folder?: boolean;
  /** Development options in the page's address, such as `inspect-extensions`. */
  readonly payload?: readonly (readonly [name: string, value: string])[];
  /** Further packaged extensions to install, absolute paths. */
  readonly vsixes?: readonly string[];
  /** Environment of the extension host, laid over an isolated one without keys. */
  readonly env?: Readonly<Record<string, string>>;
}

const open = new Set<Workbench>();

/**
 * Starts a VS Code server of its own with the packaged Hookline installed, on a copy of a workspace and an empty home
 * folder, and loads it in a headless browser. The caller closes it.
 */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const place = makeTestPlace({ workspace: options.workspace, name: options.name });
  try {
    writeFiles(place.workspace, options.files ?? {});
    writeFiles(place.home, options.homeFiles ?? {});
    cpSync(installedExtensions(), place.extensionsDir, { recursive: true });
    if (options.vsixes !== undefined) {
      const { extensionsDir, serverDataDir } = place;
      await installExtension({ vsixes: [...options.vsixes], extensionsDir, serverDataDir });
    }
    writeUserSettings(place.serverDataDir, { 'security.workspace.trust.startupPrompt': 'never', ...options.settings });
    writeFiles(join(place.serverDataDir, 'data', 'User'), {
      'keybindings.json': JSON.stringify(options.keybindings ?? []),
    });
    const server = await startServer({
      serverDataDir: place.serverDataDir,
      extensionsDir: place.extensionsDir,
      disableTrust: options.trust !== false,
      smokeTestDriver: options.payload !== undefined,
      // A page that goes without a word, as a busy machine makes it, shall not leave its extension host behind for
      // hours.
      reconnectionGraceSeconds: 20,
      env: { ...place.env, ...options.env },
    });
    const workbench = new Workbench({
      place,
      server,
      browser: await launchBrowser(server),
      query: queryFor(place, options),
      language: options.language,
    });
    open.add(workbench);
    await workbench.load();
    return workbench;
  } catch (error) {
    for (const failed of open) if (failed.place === place) await failed.close();
    place.remove();
    throw error;
  }
}

/** Every workbench that is open now; for the hook that keeps evidence of a failed test. */
export function openWorkbenches(): readonly Workbench[] {
  return [...open];
}

/** One page with VS Code in it, as a person uses it. */
export class WorkbenchWindow {
  constructor(
    readonly place: TestPlace,
    protected currentPage: Page | undefined,
  ) {}

  get page(): Page {
    if (!this.currentPage) throw new Error('the workbench is not loaded');
    return this.currentPage;
  }

  get quickInput(): QuickInput {
    return new QuickInput(this.page);
  }

  /** Runs a command by its full title in the Command Palette, such as `Pi: New Session`. */
  async runCommand(title: string): Promise<void> {
    await waitFor(async () => ((await this.tryCommand(title)) ? true : undefined), {
      what: `the command "${title}" in the Command Palette`,
    });
  }

  /** Whether the Command Palette offers a command now; it is left closed. */
  async offersCommand(title: string): Promise<boolean> {
    await this.openPalette();
    const isOffered = await this.quickInput.offersCommand(title);
    await this.quickInput.cancel();
    return isOffered;
  }

  /** Opens the Command Palette, empty. */
  async openPalette(): Promise<void> {
    await waitFor(async () => ((await this.quickInput.openPalette()) ? true : undefined), {
      what: 'the Command Palette',
    });
  }

  /** The frame of the chat page, once its root element is there; waits for it. */
  async chatFrame(selector = '[data-hookline="chat"]'): Promise<Frame> {
    return this.frameWith(selector);
  }

  /** The first frame that holds an element; waits up to `timeout` ms for one. */
  async frameWith(selector: string, timeout = 30_000): Promise<Frame> {
    return waitFor(
      async () => {
        for (const frame of this.page.frames()) {
          // A frame may be replaced while it is asked; the next round sees its successor.
          const count = await frame
            .locator(selector)
            .count()
            .catch(() => 0);
          if (count > 0) return frame;
        }
        return undefined;
      },
      { what: `a frame with ${selector}`, timeout },
    );
  }

  /** Texts of the notifications that are visible now. */
  async notifications(): Promise<string[]> {
    return this.page.locator('.notification-toast .notification-list-item-message').allInnerTexts();
  }

  /** Text of each item in the status bar. */
  async statusBar(): Promise<string[]> {
    return this.page.locator('.statusbar-item').allInnerTexts();
  }

  /** Keeps a picture in artifacts/ and returns its path. */
  async screenshot(name: string): Promise<string> {
    mkdirSync(ARTIFACTS, { recursive: true });
    const path = join(ARTIFACTS, `${name.replace(/[^\w.-]+/g, '-')}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** Keeps a picture and VS Code's logs in artifacts/, for a test that failed. */
  async keepEvidence(name: string): Promise<void> {
    const safe = name.replace(/[^\w.-]+/g, '-');
    if (this.currentPage?.isClosed() === false) await this.screenshot(safe);
    const logs = join(this.place.serverDataDir, 'data', 'logs');
    if (existsSync(logs)) cpSync(logs, join(ARTIFACTS, `${safe}-logs`), { recursive: true });
  }

  /** Log files of VS Code and its extensions whose name says that they hold this channel, absolute. */
  logFiles(channel: string): readonly string[] {
    const logs = join(this.place.serverDataDir, 'data', 'logs');
    if (!existsSync(logs)) return [];
    const all = readdirSync(logs, { recursive: true, encoding: 'utf8' });
    return all.filter(name => name.endsWith(`${channel}.log`)).map(name => join(logs, name));
  }

  async untilReady(): Promise<void> {
    await this.page.waitForSelector('.monaco-workbench .activitybar', { timeout: READY_TIMEOUT_MS });
    await this.page.waitForSelector('.statusbar-item', { timeout: READY_TIMEOUT_MS });
  }

  private async tryCommand(title: string): Promise<boolean> {
    if (!(await this.quickInput.openPalette())) return false;
    if (await this.quickInput.pickCommand(title)) return true;
    await this.quickInput.cancel();
    return false;
  }
}

/** One VS Code server with a browser; itself its first window. */
export class Workbench extends WorkbenchWindow {
  private readonly server: RunningServer;
  private readonly browser: Browser;
  private readonly query: Readonly<Record<string, string>>;

  constructor(
    private readonly parts: {
      readonly place: TestPlace;
      readonly server: RunningServer;
      readonly browser: Browser;
      readonly query: Readonly<Record<string, string>>;
      readonly language: string | undefined;
    },
  ) {
    super(parts.place, undefined);
    ({ server: this.server, browser: this.browser, query: this.query } = parts);
  }

  /** Absolute path of the copied workspace. */
  get workspace(): string {
    return this.place.workspace;
  }

  /** Opens VS Code in a fresh page; the extension host of an earlier page ends. */
  async load(): Promise<void> {
    await this.currentPage?.close();
    // A context of its own, so that windows which VS Code opens by itself are seen.
    const context = await this.browser.newContext({ viewport: VIEWPORT });
    const { language } = this.parts;
    // What the script of a language pack sets before the workbench loads.
    if (language !== undefined) {
      await context.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = ${JSON.stringify(language)}`);
    }
    this.currentPage = await context.newPage();
    await this.goTo(this, this.query);
  }

  /** A further window of the same VS Code on another folder (absolute, must exist); closed with this one. */
  async openWindow(folder: string): Promise<WorkbenchWindow> {
    const other = new WorkbenchWindow(this.place, await this.page.context().newPage());
    await this.goTo(other, { ...this.query, folder });
    return other;
  }

  /** The window that VS Code opens while `act` runs. */
  async windowOpenedBy(act: () => Promise<unknown>): Promise<WorkbenchWindow> {
    const [page] = await Promise.all([this.page.context().waitForEvent('page', { timeout: READY_TIMEOUT_MS }), act()]);
    page.setDefaultTimeout(30_000);
    const other = new WorkbenchWindow(this.place, page);
    await other.untilReady();
    return other;
  }

  /** What F5 in the browser does. */
  async reload(): Promise<void> {
    await this.page.reload({ timeout: READY_TIMEOUT_MS });
    await this.untilReady();
  }

  /** Ends browser and server, removes the copies. No process is left. */
  async close(): Promise<void> {
    open.delete(this);
    await this.browser.close();
    await this.server.stop();
    this.place.remove();
  }

  private async goTo(window: WorkbenchWindow, query: Readonly<Record<string, string>>): Promise<void> {
    window.page.setDefaultTimeout(30_000);
    const search = new URLSearchParams(query).toString();
    await window.page.goto(`${this.server.url}${search === '' ? '' : `?${search}`}`, { timeout: READY_TIMEOUT_MS });
    await window.untilReady();
  }
}

/**
 * Asks until there is an answer other than undefined.
 * @throws Error naming `what` after `timeout` ms
 */
export async function waitFor<T>(
  ask: () => Promise<T | undefined> | T | undefined,
  { what, timeout = 30_000 }: { readonly what: string; readonly timeout?: number },
): Promise<T> {
  const deadline = Date.now() + timeout;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${timeout} ms in vain for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

function queryFor({ workspace }: TestPlace, { folder, payload }: WorkbenchOptions): Record<string, string> {
  return {
    ...(folder === false ? {} : { folder: workspace }),
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  };
}

async function launchBrowser(server: RunningServer): Promise<Browser> {
  try {
    const { executablePath, args, env } = await findBrowser();
    return await chromium.launch({ executablePath, args, env });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function installedExtensions(): string {
  const folder = process.env['HOOKLINE_TEST_EXTENSIONS'];
  if (folder === undefined) throw new Error('end-to-end tests run through `npm test -- --suite e2e`');
  return folder;
}

function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
