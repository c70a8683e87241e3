import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Chat } from '../../chat/chat';
import type { ChatPages } from '../../chat/page/chat-pages';
import type { PageConnection } from '../../chat/page/page-connection';
import type { Conversations } from '../../chat/window/conversations';
import type { PageStep } from '../../protocol/messages';
import { CHAT_PANEL } from '../ids';
import type { Lazy } from '../lazy';
import { servePage, type PageSurroundings, type Receive } from '../pages/serve-page';
import { connectPlace } from './chat-place';
import { isSeenIn } from './seen-cards';
import type { ChatView } from './chat-view';
import { markedTitle } from './conversation-words';

/** The conversations of a window and their pages. */
interface ChatWindow {
  readonly conversations: Conversations;
  readonly pages: ChatPages;
}

export interface ChatEditorsParts extends PageSurroundings {
  readonly window: Pick<Lazy<ChatWindow>, 'current' | 'get'>;
  readonly view: ChatView;
}

/** An editor tab with its conversation. */
interface ChatTab {
  readonly panel: vscode.WebviewPanel;
  readonly connection: PageConnection;
}

/**
 * Conversations in editor tabs, at most one tab for each, and where the user goes to a conversation: to its tab, or to the
 * side bar. A tab comes back when the window is reloaded. It shows a conversation and does not own it: closing the tab ends
 * nothing.
 */
export class ChatEditors implements vscode.WebviewPanelSerializer, Disposable {
  private readonly store = new DisposableStore();
  /** By the id of the conversation. */
  private readonly tabs = new Map<string, ChatTab>();

  constructor(private readonly parts: ChatEditorsParts) {
    this.store.add(vscode.window.registerWebviewPanelSerializer(CHAT_PANEL, this));
  }

  /**
   * Opens a conversation in an editor tab and gives it the focus, or brings its tab to the front. If another conversation
   * is in front in the active group, the tab opens beside it. `id`: see `Conversations.find`; when absent, the active
   * conversation is opened. Nothing if it is not open. Resolves with the page of a tab that was there.
   */
  async open(id?: string): Promise<PageConnection | undefined> {
    const { conversations } = await this.parts.window.get();
    const chat = id === undefined ? conversations.active : conversations.find(id);
    if (chat === undefined) return undefined;
    const tab = this.tabs.get(chat.id);
    if (tab !== undefined) {
      tab.panel.reveal();
      tab.connection.use();
      return tab.connection;
    }
    const column = isChatInFront() ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const panel = vscode.window.createWebviewPanel(CHAT_PANEL, markedTitle(chat.status.title, 'idle'), column);
    this.serve(panel, () => chat);
    return undefined;
  }

  /** Whether the side bar or a tab is visible and shows a conversation. */
  async isSeen(id: string): Promise<boolean> {
    return isSeenIn(this.parts.view, (await this.parts.window.get()).conversations, id);
  }

  /** Goes to the active conversation, as {@link reveal} does. Before the window has started, the side bar gets the focus. */
  async focus(): Promise<PageConnection | undefined> {
    const { current } = this.parts.window;
    return current === undefined ? this.parts.view.focus() : this.reveal(current.conversations.active.id);
  }

  /** Goes to the composer of the active conversation, and resolves with the conversation. */
  async focusComposer(): Promise<Chat> {
    (await this.focus())?.go('composer');
    return (await this.parts.window.get()).conversations.active;
  }

  /**
   * Goes to a conversation: to its tab, unless the side bar is visible, shows it, and the user went there last. Resolves with the
   * page; undefined before that is connected.
   */
  async reveal(id: string): Promise<PageConnection | undefined> {
    const { conversations, pages } = await this.parts.window.get();
    const chat = conversations.find(id);
    const isInSideBar = this.parts.view.isVisible && conversations.shown.id === id;
    if (this.tabs.has(id) && (!isInSideBar || (chat !== undefined && pages.isInTab(chat)))) {
      return this.open(id);
    }
    conversations.show(id);
    return this.parts.view.focus();
  }

  /** Gives the chat the focus, then lets the page go to a message, or open its search or the breakdown of the context. */
  async go(to: PageStep): Promise<void> {
    const { pages } = await this.parts.window.get();
    const page = pages.focused ?? (await this.focus());
    page?.go(to);
  }

  /** Fills a tab from before a reload of the window. One whose session is gone, or is in another tab already, is closed. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, saved: unknown): Promise<void> {
    const session = sessionOf(saved);
    this.serve(panel, ({ conversations }) =>
      session === undefined ? undefined : conversations.withStoredSession(session),
    );
    return Promise.resolve();
  }

  /** Leaves the tabs open: they come back when the extension host starts again. */
  dispose(): void {
    this.store.dispose();
  }

  private serve(
    panel: vscode.WebviewPanel,
    find: (window: ChatWindow) => Chat | undefined | Promise<Chat | undefined>,
  ): void {
    const owned = new DisposableStore();
    owned.add(panel.onDidDispose(() => owned.dispose()));
    const { extensionUri } = this.parts;
    const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', `chat-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    servePage(panel.webview, owned, {
      ...this.parts,
      bundle: 'main',
      failure: vscode.l10n.t('The conversation could not be opened.'),
      connect: async () => {
        const window = await this.parts.window.get();
        const chat = await find(window);
        if (owned.isDisposed) return undefined;
        const tab = chat && this.tabs.get(chat.id);
        if (chat !== undefined && tab === undefined) return this.connect(panel, chat, owned, window);
        panel.dispose();
        tab?.panel.reveal();
        return undefined;
      },
    });
  }

  private connect(
    panel: vscode.WebviewPanel,
    chat: Chat,
    owned: DisposableStore,
    { conversations, pages }: ChatWindow,
  ): Receive {
    const place = {
      webview: panel.webview,
      isVisible: () => panel.visible,
      onDidChangeVisibility: panel.onDidChangeViewState,
    };
    const { connection, receive } = connectPlace(place, owned, post => pages.connect(post, chat));
    this.tabs.set(chat.id, { panel, connection });
    // Ends after what follows the conversation: the title of a panel that is gone cannot be set.
    owned.add({
      dispose: () => {
        this.tabs.delete(chat.id);
        conversations.setEditorTab(chat.id, undefined);
      },
    });
    const follow = (): void => {
      conversations.setEditorTab(chat.id, panel.visible ? 'visible' : 'behind');
      if (panel.active) connection.use();
    };
    owned.add(panel.onDidChangeViewState(follow));
    const draw = (): void => {
      const open = conversations.tabs.find(({ id }) => id === chat.id);
      // A conversation that was closed takes its tab with it.
      if (open === undefined) panel.dispose();
      else panel.title = markedTitle(chat.status.current.hookTitle ?? open.title, open.state);
    };
    owned.add(conversations.onDidChange(draw));
    owned.add(chat.status.onDidChange(draw));
    follow();
    draw();
    return receive;
  }
}

/** Whether the tab in front of the active group shows a conversation. */
function isChatInFront(): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(CHAT_PANEL);
}

/** The session that a page has saved in its state; undefined when it has saved none. */
function sessionOf(saved: unknown): string | undefined {
  const session =
    typeof saved === 'object' && saved !== null && 'conversation' in saved ? saved.conversation : undefined;
  return typeof session === 'string' ? session : undefined;
}
