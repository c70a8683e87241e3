import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { DEBUG_TYPE } from '../ids';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { debugConfiguration, workspaceFileText } from './debug-configuration';
import type { DebugStart } from './debug-start';

/** As it is in a launch.json that names no paths: it works for everybody who has the folder. */
function initialConfiguration(): vscode.DebugConfiguration {
  return { name: vscode.l10n.t('Hookline: Debug Hooks'), type: DEBUG_TYPE, request: 'launch' };
}

/** Tells our sessions from others of the same type. */
const MARK = '__hookline';

/** How long the second window may take until the debugger is attached to it, ms. */
const ATTACH_TIMEOUT_MS = 30_000;

/** Registers the debugger's configurations with VS Code for as long as the result is not disposed. */
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
 * In a browser VS Code lets a window be debugged only if its server was started with `--enable-smoke-test-driver`;
 * otherwise the second window opens and no breakpoint is ever hit. Nothing tells in advance.
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
  /** How the second window starts. */
  readonly start: () => DebugStart;
  /** Tells a user something where they look. */
  readonly showWarningMessage: (text: string) => void;
}

/** Where the debugger finds things. Paths are absolute. */
interface DebugPlace {
  /** This copy of the extension. */
  readonly dir: string;
  /** Shared by all windows. */
  readonly storageDir: string;
  /** Whose hooks are debugged when nothing else is said. */
  readonly folder: () => vscode.WorkspaceFolder | undefined;
}

/** Turns `"type": "hookline"` of launch.json, and of the command, into what js-debug understands. */
export class HookDebugger implements vscode.DebugConfigurationProvider {
  private window: DebuggedWindow = {
    start: () => ({}),
    showWarningMessage: text => void vscode.window.showWarningMessage(text),
  };

  constructor(private readonly place: DebugPlace) {}

  /** To be called once the window has a conversation. */
  connect(window: DebuggedWindow): void {
    this.window = window;
  }

  /** Says why no breakpoint is hit, and what helps. */
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
      void vscode.window.showErrorMessage(vscode.l10n.t('Open a folder first: its hooks run in the second window.'));
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

  /** Starts it as if it had been chosen in the debug view; false when it did not start. */
  async start(): Promise<boolean> {
    return vscode.debug.startDebugging(this.place.folder(), initialConfiguration());
  }

  /**
   * A browser opens the folder in another page. On the desktop VS Code drops a folder that is open already, so there it
   * gets a workspace file of its own that names it.
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
