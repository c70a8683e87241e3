import './vscode/localize';
import * as vscode from 'vscode';
import { ChatEditors } from './vscode/chat/chat-editors';
import { ChatView } from './vscode/chat/chat-view';
import { revealChatOnce } from './vscode/chat/reveal-once';
import { registerCommands } from './vscode/commands/commands';
import { LogPanel } from './vscode/hook-log/log-panel';
import { Lazy, startWhenIdle } from './vscode/lazy';
import { PublicApi, type HooklineExports } from './vscode/window/public-api';
import { TreePanel } from './vscode/sessions/tree-panel';
import { WindowUi } from './vscode/window/window-ui';
import type { HooklineWindow } from './vscode/window/window';

/** What our own tests get as well: they run inside of VS Code's test mode, which nobody else can be in. */
export interface HooklineInternals extends HooklineExports {
  readonly ui: WindowUi;
  readonly view: ChatView;
  readonly editors: ChatEditors;
  /** Starts conversations and hooks if that has not happened yet. */
  readonly window: Lazy<HooklineWindow>;
}

let running: Lazy<HooklineWindow> | undefined;

/**
 * Builds what VS Code must know of at once. The agent, its models and the hooks are loaded when the chat is shown or
 * VS Code has nothing better to do, whichever comes first.
 */
export function activate(context: vscode.ExtensionContext): HooklineExports | HooklineInternals {
  const ui = new WindowUi(context);
  const api = new PublicApi();
  const window = new Lazy(async () => {
    const { openWindow } = await import('./vscode/window/window');
    const opened = await openWindow(ui, view, editors);
    api.follow(opened);
    return opened;
  });
  const pages = { extensionUri: ui.extensionUri, log: ui.log, quiet: ui.quiet };
  const view: ChatView = new ChatView({
    ...pages,
    connect: async () => {
      const { pages } = await window.get();
      return post => pages.connect(post);
    },
  });
  const editors: ChatEditors = new ChatEditors({ ...pages, window, view });
  const logPanel = new LogPanel({
    ...pages,
    source: async () => (await window.get()).monitor.panelSource,
  });
  const treePanel = new TreePanel({
    ...pages,
    conversations: async () => (await window.get()).conversations,
    showChat: () => editors.focus(),
  });
  context.subscriptions.push(
    ui,
    api,
    view,
    editors,
    logPanel,
    treePanel,
    registerCommands({ ui, view, editors, logPanel, treePanel, window }),
    startWhenIdle(window, ui.log),
    revealChatOnce(context.globalState),
  );
  running = window;
  return context.extensionMode === vscode.ExtensionMode.Test
    ? { ...api.exports, ui, view, editors, window }
    : api.exports;
}

/** Ends the run, lets hooks shut down and closes the session file; VS Code waits for it. */
export async function deactivate(): Promise<void> {
  const window = await running?.whenMade();
  running = undefined;
  await window?.dispose();
}
