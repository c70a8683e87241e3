import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { servePage, type Receive, type ServedPage } from './serve-page';

/** A page in its tab, until the tab is closed. */
export interface OpenPage<Out> {
  /** What goes with the tab. */
  readonly owned: DisposableStore;
  /** Tells the page; a page that is gone hears nothing. */
  readonly post: (message: Out) => void;
}

export interface PagePanelParts<Out> extends Omit<ServedPage, 'connect'> {
  readonly viewType: string;
  readonly title: string;
  /** VS Code brings the tab back after a reload of the window; the manifest must start the extension for it. */
  readonly comesBack: boolean;
  /** Starts what the page needs; once for each tab. Undefined when the tab was closed meanwhile. */
  readonly connect: (page: OpenPage<Out>) => Promise<Receive | undefined>;
}

/** A page in an editor tab; there is one at most. */
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
    const { viewType, title } = this.parts;
    void closeForgottenTabs(viewType);
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

/** After a reload of the window a tab in the background comes alive only when it is shown; until then it is not ours. */
async function closeForgottenTabs(viewType: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(viewType));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
