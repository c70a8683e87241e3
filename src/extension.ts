import './vscode/localise';
import type * as vscode from 'vscode';
import { ChatView } from './vscode/chat/chat-view';
import { revealChatOnce } from './vscode/chat/first-look';
import { registerCommands } from './vscode/commands';
import { LogPanel } from './vscode/hook-log/log-panel';
import { Lazy } from './vscode/lazy';
import { TreePanel } from './vscode/sessions/tree-panel';
import { startWhenIdle } from './vscode/window/start-when-idle';
import { WindowUi } from './vscode/window/window-ui';
import type { HooklineWindow } from './vscode/window/window';

/** What tests get from `activate`; internal, and free to change with any version. */
export interface HooklineApi {
  readonly ui: WindowUi;
  readonly view: ChatView;
  /** Starts conversations and hooks if that has not happened yet. */
  readonly window: Lazy<HooklineWindow>;
}

let running: HooklineApi | undefined;

/**
 * Builds what VS Code must know of at once. The agent, its models and the hooks are loaded when the chat is shown or
 * VS Code has nothing better to do, whichever comes first.
 */
export function activate(context: vscode.ExtensionContext): HooklineApi {
  const ui = new WindowUi(context);
  const window = new Lazy(async () => {
    const { openWindow } = await import('./vscode/window/window');
    return openWindow(ui, view);
  });
  const view: ChatView = new ChatView({
    extensionUri: ui.extensionUri,
    log: ui.log,
    connect: async post => (await window.get()).controller.connect(post),
  });
  const logPanel = new LogPanel({
    extensionUri: ui.extensionUri,
    log: ui.log,
    source: async () => (await window.get()).monitor.panelSource,
  });
  const treePanel = new TreePanel({
    extensionUri: ui.extensionUri,
    log: ui.log,
    conversations: async () => (await window.get()).conversations,
    showChat: () => view.focus(),
  });
  context.subscriptions.push(
    ui,
    view,
    logPanel,
    treePanel,
    registerCommands({ ui, view, logPanel, treePanel, window }),
    startWhenIdle(window, ui.log),
    revealChatOnce(context.globalState),
  );
  running = { ui, view, window };
  return running;
}

/** Ends the run, lets hooks shut down and closes the session file; VS Code waits for it. */
export async function deactivate(): Promise<void> {
  const window = await running?.window.settled();
  running = undefined;
  await window?.dispose();
}
