import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ConversationTab } from '../../protocol/messages';
import type { OpenConversation } from './open-conversation';
import type { OpenSessions } from './window-memory';
import { defined } from '../../base/defined';

/**
 * Which conversations are open in a window, in which order, which of them the side bar shows, and with which the user works.
 * Opens and ends none itself.
 */
export class ConversationTabs {
  private readonly opened = new Map<string, OpenConversation>();
  private inSideBar: OpenConversation | undefined;
  private inUse: OpenConversation | undefined;
  private uses = 0;

  /** The one that the side bar shows. */
  get shown(): OpenConversation | undefined {
    return this.inSideBar;
  }

  /** The one that the user works with. */
  get active(): OpenConversation | undefined {
    return this.inUse;
  }

  get size(): number {
    return this.opened.size;
  }

  /** In their order: that of opening, unless it was {@link arrange}d. */
  get all(): readonly OpenConversation[] {
    return [...this.opened.values()];
  }

  /** As the page draws them. */
  get drawn(): readonly ConversationTab[] {
    return this.all.map(open => this.tabOf(open));
  }

  tabOf(open: OpenConversation): ConversationTab {
    return open.tab(open === this.inSideBar);
  }

  /** As a window remembers them; those without a file cannot be. */
  get remembered(): OpenSessions {
    const sessions = this.all.flatMap(({ file, isUnread }) => (file === undefined ? [] : [{ file, unread: isUnread }]));
    const shown = this.inSideBar?.file;
    return { sessions, ...defined({ shown }) };
  }

  get(id: string): OpenConversation | undefined {
    return this.opened.get(id);
  }

  /** The one that has a session file open. */
  withFile(file: string): OpenConversation | undefined {
    const path = resolve(file);
    return this.all.find(open => open.file !== undefined && resolve(open.file) === path);
  }

  /** Adds one behind the others. */
  add(open: OpenConversation): void {
    this.opened.set(open.id, open);
  }

  /** Takes one out; it counts as shown, and as the active one, until another one is. */
  remove(open: OpenConversation): void {
    this.opened.delete(open.id);
  }

  /** Notes that the side bar shows one; false when it did already. */
  showInSideBar(open: OpenConversation): boolean {
    if (open === this.inSideBar) return false;
    this.inSideBar = open;
    return true;
  }

  /** Notes that the user works with one; false when they did already. */
  use(open: OpenConversation): boolean {
    open.lastUsed = ++this.uses;
    if (open === this.inUse) return false;
    this.inUse = open;
    return true;
  }

  /** Whether a page shows one, so that the user sees what happens in it. */
  isSeen(id: string): boolean {
    return this.inSideBar?.id === id || this.get(id)?.editorTab === 'visible';
  }

  /** The one so many places behind the one in the side bar, or before it, around the end. */
  beside(by: number): OpenConversation | undefined {
    const { all } = this;
    const at = all.findIndex(open => open === this.inSideBar);
    return all.at((at + by) % all.length);
  }

  /** The one that was used last. */
  get latest(): OpenConversation | undefined {
    return this.all.toSorted((a, b) => b.lastUsed - a.lastUsed)[0];
  }

  /**
   * The conversations beyond the limit that can be closed: idle, read, in no editor tab, without a draft that would be lost;
   * those not used for the longest time first.
   */
  surplus(limit: number): readonly OpenConversation[] {
    const idle = this.all
      .filter(open => open !== this.inSideBar && open.editorTab === undefined)
      .filter(open => !open.isBusy && !open.isUnread && !open.isOnlyDraft)
      .sort((a, b) => a.lastUsed - b.lastUsed);
    return idle.slice(0, Math.max(0, this.size - limit));
  }

  /** Puts the conversations of these files in their order; others stay behind them. */
  arrange(files: readonly string[]): void {
    const place = ({ file = '' }: OpenConversation): number => {
      const at = files.indexOf(file);
      return at < 0 ? files.length : at;
    };
    const sorted = this.all.toSorted((a, b) => place(a) - place(b));
    this.opened.clear();
    for (const open of sorted) this.add(open);
  }

  /** What a user calls one, when there is more than one. */
  nameAmongOthers(id: string): string | undefined {
    if (this.size < 2) return undefined;
    const title = this.get(id)?.title ?? '';
    return title === '' ? l10n.t('New session') : title;
  }
}
