import { nothing, render } from 'lit';
import type { ChatItem } from '../../src/protocol/chat-item';
import type { AnsweredByTool } from '../cards/answered';
import { estimatedHeight, itemAttributes, itemView } from '../cards/item';
import { DETAILS, Disclosure, type ItemContext } from '../cards/item-context';

/** Pixels above and below the visible part within which items are drawn. */
const AHEAD = 800;
/** Pixels beyond which a drawn item is emptied again, once more than `KEPT` are drawn. */
const BEHIND = 2400;
/** Drawn items that are kept wherever they are: a short conversation stays whole, for the browser's own search too. */
const KEPT = 200;
/** Items at the end that a fresh list draws at once. */
const FRESH = 80;

interface Row {
  readonly element: HTMLElement;
  item: ChatItem;
  named: boolean;
  drawn: boolean;
}

/**
 * The list of items. Each has an element of its own permanently, with a known or estimated height; only those near the
 * visible part have an inside, so that thousands cost little and the browser's scroll anchoring and scrollbar work.
 */
export class Transcript {
  private items: readonly ChatItem[] = [];
  private answered: AnsweredByTool = new Map();
  private readonly rows = new Map<string, Row>();
  private readonly context: ItemContext & { thinkingLabel: string | undefined } = {
    disclosure: new Disclosure(),
    thinkingLabel: undefined,
    answers: new Set(),
    askedSince: new Map(),
    refresh: id => {
      const row = this.rows.get(id);
      if (row) this.draw(row);
      this.changed();
    },
    describeTool: id => {
      const item = this.rows.get(id)?.item;
      return item?.kind === 'tool' ? `${item.name} ${item.summary}` : undefined;
    },
    answeredAbout: id => this.answered.get(id) ?? [],
  };

  /** `changed` is called after an item was drawn again by itself. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly list: HTMLElement,
    private readonly changed: () => void,
  ) {}

  /**
   * Brings the list in line with the state; items that are the same objects as before are not looked at. `earlier` is
   * how many come before them in the conversation, `answered` what is in tool cards instead of among them.
   */
  update(items: readonly ChatItem[], earlier = 0, answered: AnsweredByTool = new Map()): void {
    if (items === this.items) return;
    this.adoptAnswered(answered);
    const from = firstDifference(this.items, items);
    this.dropMissing(this.items.slice(from), items.slice(from));
    let named = from === 0 ? '' : speakerBefore(items, from);
    let cursor =
      from === 0 ? this.list.firstElementChild : (this.rowOf(items[from - 1])?.element.nextElementSibling ?? null);
    let position = earlier + from;
    for (const item of items.slice(from)) {
      const speaker = speakerOf(item, named);
      const row = this.take(item, item.kind === 'assistant' && speaker !== named);
      named = speaker;
      position += 1;
      setAttributes(row.element, { 'aria-posinset': String(position) });
      if (row.element === cursor) cursor = cursor.nextElementSibling;
      else this.list.insertBefore(row.element, cursor);
    }
    const fresh = this.items.length === 0;
    this.items = items;
    if (fresh) for (const item of items.slice(-FRESH)) this.drawOnce(this.rowOf(item));
  }

  /** Draws the cards that a question has come to; where it had the keyboard, its card has it now. */
  private adoptAnswered(answered: AnsweredByTool): void {
    const before = this.answered;
    this.answered = answered;
    for (const [tool, gates] of answered) {
      if (gates.length === before.get(tool)?.length) continue;
      const row = this.rows.get(tool);
      if (row === undefined) continue;
      if (row.drawn) this.draw(row);
      if (!gates.some(({ id }) => this.rows.get(id)?.element.contains(document.activeElement) === true)) continue;
      row.element.tabIndex = -1;
      row.element.focus({ preventScroll: true });
    }
  }

  /** Names folded thoughts as a hook wishes; undefined: as usual. */
  nameThoughts(label: string | undefined): void {
    if (label === this.context.thinkingLabel) return;
    this.context.thinkingLabel = label;
    for (const row of this.rows.values()) if (row.drawn) this.draw(row);
  }

  /** Forgets everything: another conversation follows, whose items may have the same ids. */
  clear(): void {
    this.update([]);
    this.context.disclosure.clear();
  }

  /** Draws what is near the visible part and empties what is far; call after updates and while scrolling. */
  settle(): void {
    for (let round = 0; round < 4; round++) {
      const wanted = this.near(AHEAD).filter(row => !row.drawn);
      if (wanted.length === 0) break;
      for (const row of wanted) this.draw(row);
    }
    this.emptyFar();
  }

  /** The first item that is visible, and how far its top is below the upper edge. */
  topItem(): { readonly id: string; readonly offset: number } | undefined {
    const index = this.firstBelow(this.scroller.scrollTop);
    const row = this.rowOf(this.items[index]);
    return row && { id: row.item.id, offset: row.element.offsetTop - this.scroller.scrollTop };
  }

  /** Puts an item where `topItem` found it; false when there is no such item. */
  restore({ id, offset }: { readonly id: string; readonly offset: number }): boolean {
    const row = this.rows.get(id);
    if (!row) return false;
    // Drawing changes heights above the item, so the place is taken twice.
    for (let round = 0; round < 2; round++) {
      this.scroller.scrollTop = row.element.offsetTop - offset;
      this.settle();
    }
    this.scroller.scrollTop = row.element.offsetTop - offset;
    return true;
  }

  /** Ids of the items, in order. */
  get ids(): readonly string[] {
    return this.items.map(({ id }) => id);
  }

  has(id: string): boolean {
    return this.rows.has(id);
  }

  /** Elements of the items whose inside is drawn. */
  get drawn(): readonly HTMLElement[] {
    return [...this.rows.values()].filter(({ drawn }) => drawn).map(({ element }) => element);
  }

  /** An item's element, drawn, with one of its folded parts open if a part is named; undefined for no item of ours. */
  reveal(id: string, part = ''): HTMLElement | undefined {
    const holder = [...this.answered].find(([, gates]) => gates.some(gate => gate.id === id))?.[0];
    const row = this.rows.get(holder ?? id);
    if (!row) return undefined;
    if (part !== '') for (const key of [part, DETAILS]) this.context.disclosure.set(`${id}/${key}`, true);
    if (part !== '' || !row.drawn) this.draw(row);
    return row.element;
  }

  /** Element of the first question that can be answered. */
  openGate(): HTMLElement | undefined {
    const gate = this.items.find(item => item.kind === 'gate' && item.state.type === 'open');
    return this.rowOf(gate)?.element;
  }

  private rowOf(item: ChatItem | undefined): Row | undefined {
    return item && this.rows.get(item.id);
  }

  private dropMissing(before: readonly ChatItem[], after: readonly ChatItem[]): void {
    const kept = new Set(after.map(({ id }) => id));
    for (const { id } of before) {
      if (kept.has(id)) continue;
      this.rows.get(id)?.element.remove();
      this.rows.delete(id);
    }
  }

  private take(item: ChatItem, named: boolean): Row {
    const known = this.rows.get(item.id);
    if (known?.item === item && known.named === named) return known;
    const row = known ?? { element: newElement(), item, named, drawn: false };
    Object.assign(row, { item, named });
    if (item.kind === 'gate' && item.state.type !== 'open') {
      this.context.answers.delete(item.id);
      this.context.askedSince.delete(item.id);
    }
    setAttributes(row.element, itemAttributes(item));
    if (!known) {
      this.rows.set(item.id, row);
      row.element.style.height = `${estimatedHeight(item)}px`;
    } else if (row.drawn) this.draw(row);
    return row;
  }

  private drawOnce(row: Row | undefined): void {
    if (row && !row.drawn) this.draw(row);
  }

  private draw(row: Row): void {
    row.drawn = true;
    row.element.style.height = '';
    render(itemView(row.item, this.context, row.named), row.element);
  }

  private empty(row: Row, height: number): void {
    row.drawn = false;
    row.element.style.height = `${height}px`;
    render(nothing, row.element);
  }

  private near(margin: number): Row[] {
    const { scrollTop, clientHeight } = this.scroller;
    const rows: Row[] = [];
    for (let index = this.firstBelow(scrollTop - margin); index < this.items.length; index++) {
      const row = this.rowOf(this.items[index]);
      if (!row || row.element.offsetTop > scrollTop + clientHeight + margin) break;
      rows.push(row);
    }
    return rows;
  }

  /** Index of the first item whose lower edge is below `y`. */
  private firstBelow(y: number): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const element = this.rowOf(this.items[middle])?.element;
      if (element && element.offsetTop + element.offsetHeight < y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private emptyFar(): void {
    const drawn = [...this.rows.values()].filter(row => row.drawn);
    if (drawn.length <= KEPT) return;
    const near = new Set(this.near(BEHIND));
    const far = drawn.filter(row => !near.has(row) && canBeEmptied(row));
    const heights = far.map(row => row.element.getBoundingClientRect().height);
    far.forEach((row, index) => this.empty(row, heights[index] ?? 0));
  }
}

/** What holds the focus, a selection or a half-typed answer stays. */
function canBeEmptied({ element, item }: Row): boolean {
  if (item.kind === 'gate' && item.state.type === 'open') return false;
  const selection = document.getSelection();
  const selected = selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
  return !selected && !element.contains(document.activeElement);
}

function firstDifference(before: readonly ChatItem[], after: readonly ChatItem[]): number {
  const index = after.findIndex((item, at) => item !== before[at]);
  return index < 0 ? after.length : index;
}

/** Tools and notices do not interrupt whose turn it is; the user does. */
function speakerOf(item: ChatItem, current: string): string {
  if (item.kind === 'assistant') return item.model;
  return item.kind === 'user' ? '' : current;
}

function speakerBefore(items: readonly ChatItem[], index: number): string {
  const last = items.slice(0, index).findLast(item => item.kind === 'assistant' || item.kind === 'user');
  return last ? speakerOf(last, '') : '';
}

/** How many items there are in all changes with each of them, so the size of the set is told as not known. */
function newElement(): HTMLElement {
  const element = document.createElement('article');
  element.setAttribute('aria-setsize', '-1');
  return element;
}

function setAttributes(element: HTMLElement, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}
