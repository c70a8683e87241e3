import { nothing, render } from 'lit';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import type { TypedAnswer } from '../../src/protocol/messages';
import type { AnsweredByTool } from '../cards/answered';
import { estimatedHeight, itemAttributes, itemView } from '../cards/item';
import { DETAILS, Disclosure, type ItemContext } from '../cards/item-context';
import { KeyPresses } from '../cards/key-presses';

/** Cards are drawn when they are at most this far from the visible part, px. */
const AHEAD = 800;
/** A drawn card farther than this from the visible part is emptied again when more than `KEPT` cards are drawn, px. */
const BEHIND = 2400;
/** Up to this many cards stay drawn wherever they are, so that a short conversation stays complete. */
const KEPT = 200;
/** How many cards at the end a new list draws at once. */
const FRESH = 80;

interface Row {
  readonly element: HTMLElement;
  item: ChatItem;
  named: boolean;
  drawn: boolean;
}

/**
 * The list of cards. Each card always has an element with a measured or estimated height, but only cards near the visible
 * part have content. So thousands of cards cost little, and the browser's scroll anchoring and scrollbar work.
 */
export class Transcript {
  private items: readonly ChatItem[] = [];
  private answered: AnsweredByTool = new Map();
  private readonly rows = new Map<string, Row>();
  private readonly context: ItemContext & { thinkingLabel: string | undefined } = {
    disclosure: new Disclosure(),
    thinkingLabel: undefined,
    answers: new Set(),
    presses: new KeyPresses(window),
    typed: new Map(),
    tabs: new Map(),
    refresh: id => {
      const row = this.rows.get(id);
      if (row) this.draw(row);
      this.changed();
    },
    answeredAbout: id => this.answered.get(id) ?? [],
  };

  /** `changed` is called after a card was redrawn because of a change in the page, such as an opened part. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly list: HTMLElement,
    private readonly changed: () => void,
  ) {}

  /**
   * Updates the list. Items at the beginning that are the same objects as before are skipped. `earlier` is the number of
   * items before them in the conversation, `answered` are the questions that tool cards show.
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

  /** Redraws tool cards that got a question. When the question's own card had the focus, the tool card gets it. */
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

  /** Takes over the answers of a snapshot. What was typed in this page is newer, except for a text that an editor tab has. */
  adoptTyped(answers: readonly TypedAnswer[]): void {
    const { typed, tabs } = this.context;
    tabs.clear();
    for (const { id, text, tab } of answers) {
      if (!typed.has(id)) typed.set(id, text);
      if (tab !== undefined) tabs.set(id, tab);
    }
  }

  /** Shows what was typed elsewhere as the answer to a question. */
  typedElsewhere({ id, text, tab }: TypedAnswer): void {
    const { typed, tabs } = this.context;
    typed.set(id, text);
    if (tab === undefined) tabs.delete(id);
    else tabs.set(id, tab);
    this.context.refresh(id);
  }

  /** Sets the label of folded thoughts that a hook has chosen; undefined: the default. */
  nameThoughts(label: string | undefined): void {
    if (label === this.context.thinkingLabel) return;
    this.context.thinkingLabel = label;
    for (const row of this.rows.values()) if (row.drawn) this.draw(row);
  }

  /** Removes everything before another conversation is shown, because its items may have the same ids. */
  clear(): void {
    this.update([]);
    this.context.disclosure.clear();
  }

  /** Draws cards near the visible part and empties cards that are far away. To be called after updates and scrolls. */
  settle(): void {
    for (let round = 0; round < 4; round++) {
      const wanted = this.near(AHEAD).filter(row => !row.drawn);
      if (wanted.length === 0) break;
      for (const row of wanted) this.draw(row);
    }
    this.emptyFar();
  }

  /** The first visible card, and the distance of its top from the upper edge, px. Undefined for an empty list. */
  topItem(): { readonly id: string; readonly offset: number } | undefined {
    const index = this.firstBelow(this.scroller.scrollTop);
    const row = this.rowOf(this.items[index]);
    return row && { id: row.item.id, offset: row.element.offsetTop - this.scroller.scrollTop };
  }

  /** Scrolls a card to the position that `topItem` returned. False when there is no such card. */
  restore({ id, offset }: { readonly id: string; readonly offset: number }): boolean {
    const row = this.rows.get(id);
    if (!row) return false;
    // Drawing changes the heights of cards above, so this scrolls again after drawing.
    for (let round = 0; round < 2; round++) {
      this.scroller.scrollTop = row.element.offsetTop - offset;
      this.settle();
    }
    this.scroller.scrollTop = row.element.offsetTop - offset;
    return true;
  }

  /** Ids of the cards, in order. */
  get ids(): readonly string[] {
    return this.items.map(({ id }) => id);
  }

  has(id: string): boolean {
    return this.rows.has(id);
  }

  /** The elements of the cards whose content is drawn. */
  get drawn(): readonly HTMLElement[] {
    return [...this.rows.values()].filter(({ drawn }) => drawn).map(({ element }) => element);
  }

  /** Draws a card with its folded `part` open, if one is named. Returns its element; undefined when there is no such card. */
  reveal(id: string, part = ''): HTMLElement | undefined {
    const holder = [...this.answered].find(([, gates]) => gates.some(gate => gate.id === id))?.[0];
    const row = this.rows.get(holder ?? id);
    if (!row) return undefined;
    if (part !== '') for (const key of [part, DETAILS]) this.context.disclosure.set(`${id}/${key}`, true);
    if (part !== '' || !row.drawn) this.draw(row);
    return row.element;
  }

  /** The element of the first open question; undefined when there is none. */
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
      this.context.typed.delete(item.id);
      this.context.tabs.delete(item.id);
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

  /** Index of the first card whose lower edge is at or below `y` (px in the list). */
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

/** Whether a card can be emptied: it is not an open question and contains neither the focus nor a selection. */
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

/** The speaker after an item: the model after its answer, nobody after a message of the user, else unchanged. */
function speakerOf(item: ChatItem, current: string): string {
  if (item.kind === 'assistant') return item.model;
  return item.kind === 'user' ? '' : current;
}

function speakerBefore(items: readonly ChatItem[], index: number): string {
  const last = items.slice(0, index).findLast(item => item.kind === 'assistant' || item.kind === 'user');
  return last ? speakerOf(last, '') : '';
}

/** Makes the element of a card. Its `aria-setsize` is -1 (not known), because the number of cards changes all the time. */
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
