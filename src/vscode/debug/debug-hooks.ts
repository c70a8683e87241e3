import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { DEBUG_TYPE } from '../ids';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { debugConfiguration, workspaceFileText } from './debug-configuration';
import type { DebugStart } from './debug-start';

/** The configuration that VS Code writes to a new launch.json. It contains no paths, so it works on every machine. */
function initialConfiguration(): vscode.DebugConfiguration {
  return { name: vscode.l10n.t('Hookline: Debug Hooks'), type: DEBUG_TYPE, request: 'launch' };
}

/** Marks the debug sessions of Hookline, because others may have the same type. */
const MARK = '__hookline';

/** How long the second window may take until the debugger is attached to it, ms. */
const ATTACH_TIMEOUT_MS = 30_000;

/** Registers the debugger with VS Code until the result is disposed. */
export function registerHookDebugger(hookDebugger: HookDebugger): Disposable {
  const store = new DisposableStore();
  store.add(vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, hookDebugger));
  store.add(
    vscode.debug.onDidStartDebugSession(session => {
      // js-debug starts its sessions as `pwa-extensionHost`, whatever launch.json says.
      const isOurs = session.type.endsWith('extensionHost') && session.configuration[MARK] === true;
      if (isOurs && session.parentSession === undefined) {
        store.add(whenNeverAttached(session, () => hookDebugger.notAttached()));
      }
    }),
  );
  return store;
}

/**
 * Calls `tell` when the debugger has not reached the second window in time. In a browser, VS Code allows debugging a
 * window only if its server was started with `--enable-smoke-test-driver`. Otherwise the second window opens but no
 * breakpoint is ever hit, and an extension cannot find that out in advance.
 */
function whenNeverAttached(session: vscode.DebugSession, tell: () => void): Disposable {
  const waiting = new DisposableStore();
  const timer = setTimeout(() => {
    waiting.dispose();
    tell();
  }, ATTACH_TIMEOUT_MS);
  waiting.add(toDisposable(() => clearTimeout(timer)));
  waiting.add(
    vscode.debug.onDidStartDebugSession(({ parentSession }) => {
      if (parentSession?.id === session.id) waiting.dispose();
    }),
  );
  waiting.add(
    vscode.debug.onDidTerminateDebugSession(ended => {
      if (ended.id === session.id) waiting.dispose();
    }),
  );
  return waiting;
}

/** What the window gives to its debugger. */
export interface DebuggedWindow {
  /** What the session of the second window starts with. */
  readonly start: () => DebugStart;
  /** Shows a warning to the user, for example in the chat. */
  readonly showWarningMessage: (text: string) => void;
}

/** Folders that the debugger uses. Paths are absolute. */
interface DebugPlace {
  /** Folder of this copy of the extension. */
  readonly dir: string;
  /** Shared by all windows. */
  readonly storageDir: string;
  /** The folder whose hooks are debugged when VS Code names none. */
  readonly folder: () => vscode.WorkspaceFolder | undefined;
}

/** Turns debug configurations with `"type": "hookline"` into configurations for js-debug. */
export class HookDebugger implements vscode.DebugConfigurationProvider {
  private window: DebuggedWindow = {
    start: () => ({}),
    showWarningMessage: text => void vscode.window.showWarningMessage(text),
  };

  constructor(private readonly place: DebugPlace) {}

  /** To be called when the window has a conversation. */
  connect(window: DebuggedWindow): void {
    this.window = window;
  }

  /** Tells the user why no breakpoint is hit, and how to fix it. */
  notAttached(): void {
    this.window.showWarningMessage(
      vscode.l10n.t(
        'The debugger does not reach the second window, so breakpoints in hooks are not hit. In a browser VS Code allows it only if its server was started with --enable-smoke-test-driver; on the desktop it always works.',
      ),
    );
  }

  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    return [initialConfiguration()];
  }

  async resolveDebugConfiguration(
    given: vscode.WorkspaceFolder | undefined,
    request: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const { hookPlace } = await import('../hook-authoring/hook-place');
    const hooks = hookPlace(given ?? this.place.folder());
    if (hooks === undefined) {
      void vscode.window.showErrorMessage(
        vscode.l10n.t('Open a folder first. Hookline debugs the hooks of that folder.'),
      );
      return undefined;
    }
    const place = {
      ...hooks,
      extensionDir: this.place.dir,
      opens: await this.opened(hooks.folder),
      start: this.window.start(),
    };
    return { request: request.request, ...debugConfiguration(request, place), name: request.name, [MARK]: true };
  }

  /** Starts debugging as the Run and Debug view does. False when it did not start. */
  async start(): Promise<boolean> {
    return vscode.debug.startDebugging(this.place.folder(), initialConfiguration());
  }

  /**
   * What the second window opens. A browser can open the same folder in another page. On the desktop, VS Code does not
   * open a folder twice, so the second window gets a workspace file that names the folder.
   */
  private async opened(folder: string): Promise<string> {
    if (vscode.env.uiKind === vscode.UIKind.Web) return folder;
    const { workspaceHash } = await import('../palette/companion-manifest');
    const dir = join(this.place.storageDir, 'debug');
    await mkdir(dir, { recursive: true });
    const file = join(dir, `hooks-${workspaceHash(folder)}.code-workspace`);
    await writeFile(file, workspaceFileText(folder));
    return file;
  }
}
