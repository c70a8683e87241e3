import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { PageConnection } from '../../chat/page/page-connection';
import type { HostToWebview } from '../../protocol/messages';
import { VIEWS } from '../ids';
import { servePage, type PageSurroundings, type Receive } from '../pages/serve-page';
import { connectPlace } from './chat-place';

/** Connects a page; `post` sends a message to it. */
export type ConnectChat = (post: (message: HostToWebview) => void) => PageConnection;

export interface ChatViewParts extends PageSurroundings {
  /** Starts the window if necessary; called once per page. */
  readonly connect: () => Promise<ConnectChat>;
}

/**
 * The chat as a webview view. It only passes messages between the page and its connection. VS Code discards the page when
 * the view is hidden, moved or reloaded, and the next page asks for a snapshot, so this class keeps no state of the chat.
 */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  private readonly store = new DisposableStore();
  private view: vscode.WebviewView | undefined;
  private page: DisposableStore | undefined;
  private connection: PageConnection | undefined;
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

  /** Brings the chat to the front and gives it the focus. Resolves with its page; undefined before that is connected. */
  async focus(): Promise<PageConnection | undefined> {
    await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
    this.connection?.use();
    return this.connection;
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
    const connect = await this.parts.connect();
    const { webview, onDidChangeVisibility } = view;
    const place = { webview, isVisible: () => view.visible, onDidChangeVisibility };
    const { connection, receive } = connectPlace(place, page, connect);
    this.connection = connection;
    page.add({
      dispose: () => {
        if (this.connection === connection) this.connection = undefined;
      },
    });
    return receive;
  }
}
