import type { ChatItem } from '../../protocol/items/chat-item';
import type { ChatChange } from '../../protocol/messages';

/** Items that one page of the conversation holds, at most. */
const PAGE_ITEMS = 200;
/** Characters after which a page is full, however few items it holds. */
const PAGE_CHARACTERS = 1_000_000;

/** Items, and how many there are before them. */
export interface Page {
  readonly items: readonly ChatItem[];
  readonly earlier: number;
}

/**
 * The part of a conversation that a page got: its end, and as much before that as the page requested. Everything unsent
 * is before everything sent.
 */
export class SentItems {
  private unsent = new Set<string>();

  /** Begins again with the end of the conversation. */
  restart(items: readonly ChatItem[]): Page {
    return this.cut(items, pageStart(items));
  }

  /** The items before the sent part: one page of them, or all from the item `through` on. */
  more(items: readonly ChatItem[], through?: string): Page {
    const before = items.filter(({ id }) => this.unsent.has(id));
    const named = through === undefined ? -1 : before.findIndex(({ id }) => id === through);
    return this.cut(before, named < 0 ? pageStart(before) : Math.min(named, pageStart(before)));
  }

  /** Whether the page has the item of the change; an item that it does not have is sent later in its current state. */
  concerns(change: ChatChange): boolean {
    // A page fetches an item that it does not have.
    if (change.type === 'reveal') return true;
    const id = change.type === 'item' ? change.item.id : 'id' in change ? change.id : undefined;
    if (id === undefined || !this.unsent.has(id)) return true;
    if (change.type === 'remove') this.unsent.delete(id);
    return false;
  }

  private cut(items: readonly ChatItem[], start: number): Page {
    this.unsent = new Set(items.slice(0, start).map(({ id }) => id));
    return { items: items.slice(start), earlier: start };
  }
}

/** Index of the first item of the last page; 0 when all fit into it. */
function pageStart(items: readonly ChatItem[]): number {
  let start = items.length;
  let seen = 0;
  for (let room = PAGE_CHARACTERS; start > 0 && seen < PAGE_ITEMS; start--) {
    const item = items[start - 1];
    if (item === undefined) break;
    room -= charactersOf(item);
    if (room < 0 && start < items.length) break;
    // Most entries of hooks are never shown, and take no room.
    if (item.kind !== 'entry' || item.drawing !== undefined) seen += 1;
  }
  return start;
}

/** The number of characters of all texts in an item, images included. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + charactersOf(member), 0);
}
