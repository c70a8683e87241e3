import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { PageConnection } from '../../conversation/page/controller';
import type { HostToWebview, PageStep } from '../../protocol/messages';
import { setContextKey } from '../context-keys';
import { VIEWS } from '../ids';
import { servePage, type Receive } from '../pages/serve-page';

export interface ChatViewParts {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Starts what is needed, then connects a page; called once per page. */
  readonly connect: (post: (message: HostToWebview) => void) => Promise<PageConnection>;
}

/**
 * The chat as a webview view: a pump between page and controller, and nothing else. The page is thrown away whenever
 * VS Code likes (hidden, moved, reloaded) and asks for a snapshot when it is back, so nothing lives here.
 */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  private readonly store = new DisposableStore();
  private view: vscode.WebviewView | undefined;
  private page: DisposableStore | undefined;
  private hasFocus = false;
  private title: string | undefined;
  private badge: vscode.ViewBadge | undefined;

  constructor(private readonly parts: ChatViewParts) {
    this.store.add(vscode.window.registerWebviewViewProvider(VIEWS.chat, this));
  }

  get isVisible(): boolean {
    return this.view?.visible === true;
  }

  /** Brings the chat to the front and gives it the focus. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
  }

  /** The page has the keyboard, or has it no more: keys of the chat are in force or not. */
  pageFocused(focused: boolean): void {
    this.hasFocus = focused;
    setContextKey('hookline.chatFocused', focused);
  }

  /** Lets the page go to a message or open its search; brings the chat to the front, and gives it the focus, first. */
  async go(to: PageStep): Promise<void> {
    if (!this.hasFocus) await this.focus();
    await this.view?.webview.postMessage({ type: 'go', to } satisfies HostToWebview);
  }

  /** Empty text brings back the title of the manifest. */
  setTitle(title: string): void {
    this.title = title === '' ? undefined : title;
    if (this.view !== undefined) this.view.title = this.title;
  }

  /** A number on the activity bar's icon: decisions that wait. */
  setBadge(badge: vscode.ViewBadge | undefined): void {
    this.badge = badge;
    if (this.view !== undefined) this.view.badge = badge;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.page?.dispose();
    const page = (this.page = new DisposableStore());
    this.view = view;
    view.title = this.title;
    view.badge = this.badge;
    page.add(
      view.onDidDispose(() => {
        page.dispose();
        if (this.view === view) this.view = undefined;
      }),
    );
    servePage(view.webview, page, {
      ...this.parts,
      bundle: 'main',
      failure: vscode.l10n.t('Hookline could not be started.'),
      connect: () => this.connect(view, page),
    });
  }

  dispose(): void {
    this.page?.dispose();
    this.store.dispose();
  }

  private async connect(view: vscode.WebviewView, page: DisposableStore): Promise<Receive> {
    // A hidden page does not exist: it asks for a snapshot when it is shown again.
    const connection = await this.parts.connect(message => {
      if (!page.isDisposed && view.visible) void view.webview.postMessage(message);
    });
    page.add(connection);
    return message => connection.receive(message);
  }
}
