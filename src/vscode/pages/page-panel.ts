import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { servePage, type Receive, type ServedPage } from './serve-page';

/** A page in an open tab. */
export interface OpenPage<Out> {
  /** Is disposed when the tab is closed. */
  readonly owned: DisposableStore;
  /** Sends a message to the page; does nothing when the tab is closed. */
  readonly post: (message: Out) => void;
}

export interface PagePanelParts<Out> extends Omit<ServedPage, 'connect'> {
  readonly viewType: string;
  readonly title: string;
  /** VS Code reopens the tab when the window is reloaded. package.json must then activate the extension for `viewType`. */
  readonly comesBack: boolean;
  /** Starts what the page needs; called once for each tab. Undefined when the tab was closed in the meantime. */
  readonly connect: (page: OpenPage<Out>) => Promise<Receive | undefined>;
}

/** A page in an editor tab. There is at most one tab. */
export class PagePanel<Out> implements vscode.WebviewPanelSerializer, Disposable {
  private readonly store = new DisposableStore();
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly parts: PagePanelParts<Out>) {
    if (parts.comesBack) this.store.add(vscode.window.registerWebviewPanelSerializer(parts.viewType, this));
  }

  /** Opens the tab or brings it to the front. */
  show(): void {
    if (this.panel !== undefined) {
      this.panel.reveal();
      return;
    }
    const { viewType, title, log } = this.parts;
    closeForgottenTabs(viewType).catch((error: unknown) =>
      log.error(`A tab from before the reload could not be closed: ${messageOf(error)}`, error),
    );
    this.adopt(vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active));
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    if (this.panel === undefined) this.adopt(panel);
    else panel.dispose();
    return Promise.resolve();
  }

  dispose(): void {
    this.panel?.dispose();
    this.store.dispose();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel = panel;
    const owned = new DisposableStore();
    owned.add(
      panel.onDidDispose(() => {
        this.panel = undefined;
        owned.dispose();
      }),
    );
    const post = (message: Out): void => {
      if (!owned.isDisposed) void panel.webview.postMessage(message);
    };
    servePage(panel.webview, owned, { ...this.parts, connect: () => this.parts.connect({ owned, post }) });
  }
}

/**
 * Closes tabs from before a reload of the window. VS Code gives a background tab back to the extension only when it is
 * shown, so a new tab would be a second one.
 */
async function closeForgottenTabs(viewType: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(viewType));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
