import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { PageConnection } from '../../chat/page/page-connection';
import type { HostToWebview, PageStep } from '../../protocol/messages';
import { setContextKey } from '../context-keys';
import { VIEWS } from '../ids';
import { servePage, type PageSurroundings, type Receive } from '../pages/serve-page';

export interface ChatViewParts extends PageSurroundings {
  /** Starts the window if necessary, then connects a page; called once per page. */
  readonly connect: (post: (message: HostToWebview) => void) => Promise<PageConnection>;
}

/**
 * The chat as a webview view. It only passes messages between the page and its connection. VS Code discards the page when
 * the view is hidden, moved or reloaded, and the next page asks for a snapshot, so this class keeps no state of the chat.
 */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  private readonly store = new DisposableStore();
  private view: vscode.WebviewView | undefined;
  private page: DisposableStore | undefined;
  private hasFocus = false;
  private title: string | undefined;
  private badge: vscode.ViewBadge | undefined;
  private readonly visibilityEmitter = this.store.add(new Emitter<void>());
  /** Fires when the chat was shown or hidden. */
  readonly onDidChangeVisibility = this.visibilityEmitter.event;

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

  /** Notes whether the page has the keyboard focus; the chat's key bindings work only while it does. */
  pageFocused(focused: boolean): void {
    this.hasFocus = focused;
    setContextKey('hookline.chatFocused', focused);
  }

  /** Focuses the chat, then lets the page go to a message, or open its search or the breakdown of the context. */
  async go(to: PageStep): Promise<void> {
    if (!this.hasFocus) await this.focus();
    await this.view?.webview.postMessage({ type: 'navigate', to } satisfies HostToWebview);
  }

  /** An empty text restores the title from package.json. */
  setTitle(title: string): void {
    this.title = title === '' ? undefined : title;
    if (this.view !== undefined) this.view.title = this.title;
  }

  /** Sets the number on the view's icon: how many decisions wait. Undefined removes it. */
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
        this.visibilityEmitter.fire();
      }),
    );
    page.add(view.onDidChangeVisibility(() => this.visibilityEmitter.fire()));
    this.visibilityEmitter.fire();
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
    // VS Code discards a hidden page. The page asks for a snapshot when it is shown again, so it misses nothing.
    const connection = await this.parts.connect(message => {
      if (!page.isDisposed && view.visible) void view.webview.postMessage(message);
    });
    page.add(connection);
    const endIfHidden = (): void => {
      if (!view.visible) connection.hidden();
    };
    page.add(view.onDidChangeVisibility(endIfHidden));
    return message => {
      connection.receive(message);
      // A page that was hidden while it was connected has asked for a snapshot that it does not get.
      endIfHidden();
    };
  }
}
