import type { ChatItem } from '../../src/protocol/items/chat-item';
import type { HostToWebview, PageStep, WebviewToHost } from '../../src/protocol/messages';
import { isMessage, type ShownItems } from '../cards/item';
import type { ChatState } from '../chat/reducer';
import { FindBar } from './find-bar';
import type { Layout } from '../chat/layout';
import type { TailFollower } from './tail-follower';
import type { Transcript } from './transcript';
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';

/** Earlier items are loaded when the user is this close to the start of the loaded ones, px. */
const NEAR_START = 1500;

/** Loads earlier items of the conversation: page by page while the user scrolls back, or up to a given item. */
class EarlierPages {
  private left = 0;
  private asked = false;
  private goTo: 'start' | undefined;
  private arrived: (() => void)[] = [];

  constructor(
    private readonly host: HTMLElement,
    private readonly scroller: HTMLElement,
    private readonly send: (message: WebviewToHost) => void,
    private readonly leaveEnd: () => void,
  ) {}

  /** To be called for a new snapshot: the host does not answer requests from before it. */
  restart(): void {
    this.asked = false;
  }

  /** To be called with each state before it is drawn. Returns whether earlier items were added. */
  update(state: ChatState, before: ChatState): boolean {
    const isSame = state.conversation === before.conversation;
    if (!isSame) {
      // What was asked for is a part of the other conversation.
      this.goTo = undefined;
      this.arrived = [];
    }
    const came = isSame && state.earlier < before.earlier && state.items.length > before.items.length;
    if (state.earlier !== before.earlier || !isSame || state.sync !== before.sync) this.asked = false;
    this.left = state.sync === 'live' ? state.earlier : 0;
    render(this.left === 0 ? nothing : this.view(), this.host);
    return came;
  }

  /** To be called after new items were drawn. */
  settle(): void {
    if (this.asked) return;
    const waiting = this.arrived.splice(0);
    for (const go of waiting) go();
    if (this.goTo !== 'start') return;
    this.scroller.scrollTop = 0;
    if (this.left > 0) this.ask();
    else this.goTo = undefined;
  }

  /** Loads more when the start of the loaded items is near. */
  scrolled(): void {
    if (this.left > 0 && this.scroller.scrollTop < NEAR_START) this.ask();
  }

  /** Loads all earlier items and goes to the start of the conversation. */
  toStart(): void {
    this.goTo = 'start';
    this.leaveEnd();
    this.settle();
  }

  /**
   * Loads earlier items up to and including the given one. Resolves when they are drawn, even if it is not among them;
   * never, if another conversation is shown before that.
   */
  reach(id: string): Promise<void> {
    if (this.left === 0) return Promise.resolve();
    return new Promise(resolve => {
      this.arrived.push(resolve);
      this.asked = true;
      this.send({ type: 'earlier', through: id });
    });
  }

  /** Loads one more page. Resolves when it is drawn; never, if another conversation is shown before that. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.arrived.push(resolve);
      this.ask();
    });
  }

  private ask(): void {
    if (this.asked || this.left === 0) return;
    this.asked = true;
    this.send({ type: 'earlier' });
  }

  private view(): TemplateResult {
    const toStart = (): void => {
      this.toStart();
    };
    return html`<div class="earlier" data-hookline="earlier">
      <span class="muted"
        >${this.left === 1 ? l10n.t('1 earlier entry') : l10n.t('{0} earlier entries', this.left)}</span
      >
      <button type="button" class="link" @click=${toStart}>${l10n.t('Go to Start')}</button>
    </div>`;
  }
}

export interface ReadingParts {
  readonly send: (message: WebviewToHost) => void;
  readonly focusComposer: () => void;
}

/** Moves through the conversation: loads earlier items, searches, goes from message to message, and restores a position. */
export class Reading {
  private state: ChatState | undefined;
  /** Removes the mark from the card that was shown last. */
  private unmark: AbortController | undefined;
  private readonly earlier: EarlierPages;
  private readonly finder: FindBar;

  constructor(
    private readonly layout: Pick<Layout, 'log' | 'items' | 'earlier' | 'find'>,
    private readonly transcript: Transcript,
    private readonly tail: TailFollower,
    private readonly parts: ReadingParts,
  ) {
    this.earlier = new EarlierPages(layout.earlier, layout.log, parts.send, () => tail.release());
    this.finder = new FindBar(layout.find, {
      send: parts.send,
      reveal: (id, part) => this.reveal(id, part),
      drawn: () => transcript.drawn,
      inView: () => transcript.topItem()?.id,
      ids: () => transcript.ids,
      closed: parts.focusComposer,
    });
  }

  /**
   * Draws a new state: the cards of `list`, and the questions in their tool cards. When earlier items are added, the visible
   * cards stay in place.
   */
  update(state: ChatState, before: ChatState, { list, answered }: ShownItems): void {
    this.state = state;
    setFeed(this.layout.items, list.length > 0);
    const came = this.earlier.update(state, before);
    const place = came && !this.tail.following ? this.transcript.topItem() : undefined;
    this.transcript.update(list, state.earlier, answered);
    this.transcript.settle();
    if (place) this.transcript.restore(place);
    if (state.items !== before.items) this.finder.changed();
  }

  /** To be called for a new snapshot. */
  restart(): void {
    this.earlier.restart();
  }

  /** To be called at the end of each drawing. */
  settle(): void {
    this.earlier.settle();
    this.finder.redrawn();
  }

  scrolled(): void {
    if (!this.tail.following) this.earlier.scrolled();
    this.finder.redrawn();
  }

  /** Scrolls a card to a saved position, and loads it first if necessary. Without such a card, follows the end. */
  async restore(place: { readonly id: string; readonly offset: number }): Promise<void> {
    if (!this.transcript.has(place.id) && (this.state?.earlier ?? 0) > 0) await this.earlier.reach(place.id);
    if (this.transcript.restore(place)) this.tail.release();
    else this.tail.follow();
  }

  /**
   * Shows a card, loads it first if necessary, and marks it until the user clicks or presses a key in the page. A loss of
   * focus does not remove the mark, because VS Code may still be moving the focus to the composer.
   */
  async show(id: string): Promise<void> {
    const element = await this.reveal(id, '');
    if (element === undefined) return;
    this.unmark?.abort();
    const seen = new AbortController();
    this.unmark = seen;
    seen.signal.addEventListener('abort', () => element.classList.remove('revealed'));
    for (const act of ['pointerdown', 'keydown'] as const) {
      document.addEventListener(act, () => seen.abort(), { signal: seen.signal });
    }
    element.classList.add('revealed');
    focusItem(element);
    element.scrollIntoView({ block: 'center' });
  }

  found(message: Extract<HostToWebview, { type: 'found' }>): void {
    this.finder.found(message);
  }

  go(to: Exclude<PageStep, 'composer' | 'context'>): void {
    if (to === 'find') this.finder.open();
    else void this.walk(to === 'nextMessage' ? 'next' : 'previous');
  }

  /** Handles Ctrl+Home, which goes to the start of the conversation. Returns whether the key was handled. */
  keyed(event: KeyboardEvent): boolean {
    if (event.key !== 'Home' || !(event.ctrlKey || event.metaKey) || isField(event.target)) return false;
    this.earlier.toStart();
    return true;
  }

  private async reveal(id: string, part: string): Promise<HTMLElement | undefined> {
    if (!this.transcript.has(id)) await this.earlier.reach(id);
    this.tail.release();
    const element = this.transcript.reveal(id, part);
    // Scrolling to the card lets its neighbors be drawn. After that, its position does not change.
    element?.scrollIntoView({ block: 'nearest' });
    this.transcript.settle();
    return element;
  }

  /** Moves from the focused message, or from the end, to the previous or next one; after the last, to the composer. */
  private async walk(direction: 'next' | 'previous'): Promise<void> {
    const active = document.activeElement?.closest<HTMLElement>('[data-item-id]')?.dataset['itemId'];
    let target = messageBeside(this.state?.items ?? [], active, direction);
    while (target === undefined && direction === 'previous' && (this.state?.earlier ?? 0) > 0) {
      await this.earlier.next();
      target = messageBeside(this.state?.items ?? [], active, direction);
    }
    const element = target === undefined ? undefined : this.transcript.reveal(target);
    if (element !== undefined) {
      this.tail.release();
      focusItem(element);
      this.transcript.settle();
      element.scrollIntoView({ block: 'nearest' });
    } else if (direction === 'next') this.parts.focusComposer();
  }
}

/** Sets the role `feed` only when there are items, because a feed must contain articles. */
function setFeed(list: HTMLElement, hasItems: boolean): void {
  const role = hasItems ? 'feed' : 'group';
  if (list.role !== role) list.role = role;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/**
 * Id of the message before or after the item `from`. Without `from`, the search begins at the end, so `previous` finds the
 * last message. Undefined when there is none in that direction.
 */
function messageBeside(
  items: readonly ChatItem[],
  from: string | undefined,
  direction: 'next' | 'previous',
): string | undefined {
  const index = from === undefined ? items.length : items.findIndex(({ id }) => id === from);
  if (direction === 'previous') return items.slice(0, Math.max(0, index)).findLast(isMessage)?.id;
  return index < 0 ? undefined : items.slice(index + 1).find(isMessage)?.id;
}

/** Focuses a card. It can be focused only until it loses the focus. */
function focusItem(element: HTMLElement): void {
  element.tabIndex = -1;
  const left = (): void => {
    // When the whole page loses the focus, the card stays its active element and gets the focus back with the page.
    if (document.activeElement === element) return;
    element.removeAttribute('tabindex');
    element.removeEventListener('blur', left);
  };
  element.addEventListener('blur', left);
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest' });
}
