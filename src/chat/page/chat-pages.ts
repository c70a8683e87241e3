import type { HostToWebview } from '../../protocol/messages';
import type { Chat } from '../chat';
import type { EditorChipsPort } from '../editor/editor-chips-port';
import type { EditorPort } from '../editor/editor-port';
import type { Conversations } from '../window/conversations';
import { connectPage, type ConnectedPage, type PageConnection } from './page-connection';

/**
 * The pages of a window: that of the side bar, which shows one conversation after the other, and one for each conversation in
 * an editor tab. The conversation of the page that the user went to last is the active one.
 */
export class ChatPages {
  /** Those that the user went to last come last. */
  private pages: readonly ConnectedPage[] = [];
  private withFocus: ConnectedPage | undefined;

  constructor(
    private readonly conversations: Conversations,
    private readonly editor: EditorPort,
    private readonly editorChips: EditorChipsPort,
  ) {
    editor.chatInTab(false);
    conversations.onDidChangeShown(chat => {
      if (!this.isInTab(conversations.active)) conversations.activate(chat.id);
    });
  }

  /**
   * Connects a page to one conversation, or without `own`, to whatever conversation the side bar shows. `post` sends a message
   * to the page: a snapshot when the page is ready, then only changes.
   */
  connect(post: (message: HostToWebview) => void, own?: Chat): PageConnection {
    const { conversations, editor, editorChips } = this;
    const page = connectPage({
      ...{ conversations, editor, editorChips, post, own },
      isFirst: () => this.firstWith(page.chat) === page,
      use: () => this.use(page),
      focused: focused => this.noteFocus(page, focused),
      closed: () => this.remove(page),
    });
    // The user has not gone to this page yet, so it is behind all those where they were.
    this.pages = [page, ...this.pages];
    return page;
  }

  /** The page that has the keyboard focus. */
  get focused(): PageConnection | undefined {
    return this.withFocus;
  }

  /** The page that the user went to last is one of an editor tab, and shows this conversation. */
  isInTab({ id }: Chat): boolean {
    const latest = this.pages.at(-1);
    return latest?.isTab === true && latest.chat.id === id;
  }

  /** Of the pages that show a conversation, the one that the user went to last. */
  private firstWith(chat: Chat): ConnectedPage | undefined {
    return this.pages.findLast(page => page.isReady && page.chat === chat);
  }

  private use(page: ConnectedPage): void {
    this.pages = [...this.pages.filter(each => each !== page), page];
    this.editor.chatInTab(page.isTab);
    this.conversations.activate(page.chat.id);
  }

  /** Pages tell of the focus one by one: one that lost it may tell so after the one that got it. */
  private noteFocus(page: ConnectedPage, focused: boolean): void {
    if (focused) {
      this.withFocus = page;
      this.use(page);
      this.editor.chatFocused(true);
    } else if (this.withFocus === page) {
      this.withFocus = undefined;
      this.editor.chatFocused(false);
    }
  }

  private remove(page: ConnectedPage): void {
    this.noteFocus(page, false);
    const wasLast = this.pages.at(-1) === page;
    this.pages = this.pages.filter(each => each !== page);
    if (!wasLast || !page.isTab) return;
    // What the user does next is about the conversation that the side bar shows.
    const sideBar = this.pages.find(({ isTab }) => !isTab);
    if (sideBar !== undefined) this.use(sideBar);
    else {
      this.conversations.activate(this.conversations.shown.id);
      this.editor.chatInTab(false);
    }
  }
}
