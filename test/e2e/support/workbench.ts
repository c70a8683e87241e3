import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errors, type Frame, type Page } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import { makeTestPlace, type TestPlace } from '../../../scripts/support/test-place.ts';
import { QuickInput } from './quick-input';
import { spoilVsCode, takeVsCode, writeFiles, type Outfit, type ServerTraits, type VsCode } from './vs-code';

const READY_TIMEOUT_MS = 90_000;
/** After this time without folders, the page is loaded again. */
const FOLDERS_TIMEOUT_MS = 8_000;

export interface WorkbenchOptions extends Outfit, ServerTraits {
  /** Folder to copy as the workspace; examples/workspace by default. */
  readonly workspace?: string;
  /** Name of the copy, for paths with spaces or other letters. */
  readonly name?: string;
  /** Removed from the copy: paths below it. */
  readonly without?: readonly string[];
  /** Written into the copy: path below it -> text. */
  readonly files?: Readonly<Record<string, string>>;
  /** VS Code's own language, such as `de`. Without its language pack VS Code's own texts stay English. */
  readonly language?: string;
  /** False opens VS Code without a folder. */
  readonly folder?: boolean;
  /** A workspace file in the copy, which is opened in place of the copy itself. */
  readonly workspaceFile?: string;
}

const open = new Set<Workbench>();

/**
 * Loads VS Code with the packaged Hookline in a headless browser, on a copy of a workspace and an empty home folder. The
 * caller closes it.
 */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const vsCode = await takeVsCode(options);
  const copy = makeTestPlace({ workspace: options.workspace, name: options.name });
  const { home, serverDataDir, extensionsDir } = vsCode.place;
  const workbench = new Workbench({ ...copy, home, serverDataDir, extensionsDir }, vsCode, options);
  try {
    for (const path of options.without ?? []) rmSync(join(copy.workspace, path), { recursive: true });
    writeFiles(copy.workspace, options.files ?? {});
    open.add(workbench);
    await workbench.load();
    return workbench;
  } catch (error) {
    spoilVsCode();
    await workbench.close();
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

  /** Runs a command by its full title in the Command Palette, such as `Hookline: New Session`. */
  async runCommand(title: string): Promise<void> {
    await waitFor(async () => ((await this.tryCommand(title)) ? true : undefined), {
      what: `the command "${title}" in the Command Palette`,
    });
  }

  /** Runs a command if the Command Palette offers it now; false when it does not. */
  async tryCommand(title: string): Promise<boolean> {
    if (!(await this.quickInput.openPalette())) return false;
    if (await this.quickInput.pickCommand(title)) return true;
    await this.quickInput.cancel();
    return false;
  }

  /** Presses a key until it has had its effect: a key is lost while the focus moves. */
  async pressUntil(key: string, isDone: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 60_000;
    do {
      await this.page.keyboard.press(key);
      for (let looks = 0; looks < 60; looks++) {
        if (await isDone()) return;
        await this.page.waitForTimeout(50);
      }
    } while (Date.now() < deadline);
    throw new Error(`${key} has no effect`);
  }

  /** Whether the Command Palette offers a command now; it is left closed. */
  async offersCommand(title: string): Promise<boolean> {
    return waitFor(
      async () => {
        await this.openPalette();
        const isOffered = await this.quickInput.offersCommand(title);
        await this.quickInput.cancel();
        return isOffered;
      },
      { what: `the Command Palette for "${title}"` },
    );
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
  async frameWith(selector: string, timeout = 60_000): Promise<Frame> {
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
    return this.page.locator('.notification-list-item-message:visible').allInnerTexts();
  }

  /** Shows all notifications. By themselves, VS Code shows no more than three that come within 0.8 s. */
  async showNotifications(): Promise<void> {
    await this.runCommand('Notifications: Show Notifications');
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
}

/** One VS Code and its first window. */
export class Workbench extends WorkbenchWindow {
  constructor(
    place: TestPlace,
    private readonly vsCode: VsCode,
    private readonly options: WorkbenchOptions,
  ) {
    super(place, undefined);
  }

  /** Absolute path of the copied workspace. */
  get workspace(): string {
    return this.place.workspace;
  }

  /** Opens VS Code in a fresh page; the extension host of an earlier page ends. */
  async load(): Promise<void> {
    this.currentPage = await this.vsCode.newPage();
    const { language } = this.options;
    // What the script of a language pack sets before the workbench loads.
    if (language !== undefined) {
      await this.currentPage.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = ${JSON.stringify(language)}`);
    }
    await this.goTo(this);
    if (this.options.workspaceFile !== undefined) await this.untilFoldersAreOpen();
  }

  /** A further window of the same VS Code on another folder (absolute, must exist); closed with this one. */
  async openWindow(folder: string): Promise<WorkbenchWindow> {
    const other = new WorkbenchWindow(this.place, await this.page.context().newPage());
    await this.goTo(other, folder);
    return other;
  }

  /** The window that VS Code opens while `act` runs. */
  async windowOpenedBy(act: () => Promise<unknown>): Promise<WorkbenchWindow> {
    const [page] = await Promise.all([this.page.context().waitForEvent('page', { timeout: READY_TIMEOUT_MS }), act()]);
    page.setDefaultTimeout(60_000);
    const other = new WorkbenchWindow(this.place, page);
    await other.untilReady();
    return other;
  }

  /**
   * Reloads the window by VS Code's command, which first stores what is open. VS Code stores that only every 5 s: after F5 in
   * the browser, a view that was opened just before can be gone.
   */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: READY_TIMEOUT_MS });
    await Promise.all([loaded, this.runCommand('Developer: Reload Window')]);
    await this.untilReady();
  }

  /** Ends its pages, removes the copy, and leaves VS Code to the next one or ends it. */
  async close(): Promise<void> {
    open.delete(this);
    await this.vsCode.leave();
    this.place.remove();
  }

  /**
   * Loads the page again if VS Code opened the workspace file without its folders: while it starts, it sometimes misses
   * that it has read the file. The next load takes the folders from VS Code's cache.
   */
  private async untilFoldersAreOpen(): Promise<void> {
    const folder = this.page.locator('.explorer-folders-view [role="treeitem"]').first();
    try {
      await folder.waitFor({ timeout: FOLDERS_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error;
      await this.page.reload({ timeout: READY_TIMEOUT_MS });
      await this.untilReady();
      await folder.waitFor();
    }
  }

  private async goTo(window: WorkbenchWindow, folder = this.workspace): Promise<void> {
    window.page.setDefaultTimeout(60_000);
    const { payload, workspaceFile } = this.options;
    const search = new URLSearchParams(payload === undefined ? {} : { payload: JSON.stringify(payload) });
    if (workspaceFile !== undefined) search.set('workspace', join(folder, workspaceFile));
    else if (this.options.folder !== false) search.set('folder', folder);
    await window.page.goto(`${this.vsCode.url}?${search.toString()}`, { timeout: READY_TIMEOUT_MS });
    await window.untilReady();
  }
}

/**
 * Asks until there is an answer other than undefined.
 * @throws Error naming `what` after `timeout` ms
 */
export async function waitFor<T>(
  ask: () => Promise<T | undefined> | T | undefined,
  { what, timeout = 60_000 }: { readonly what: string; readonly timeout?: number },
): Promise<T> {
  // A question to a frame that has no page yet has no end of its own.
  const deadline = AbortSignal.timeout(timeout);
  const late = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(new Error(`waited ${timeout} ms in vain for ${what}`)), {
      once: true,
    });
  });
  for (;;) {
    const answer = await Promise.race([ask(), late]);
    if (answer !== undefined) return answer;
    await Promise.race([setTimeout(50), late]);
  }
}
