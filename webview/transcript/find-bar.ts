import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { findPattern } from '../../src/protocol/base/find-pattern';
import type { FoundItem, HostToWebview, WebviewToHost } from '../../src/protocol/messages';
import { icon, iconButton } from '../controls/controls';

/** Matches elements that are not text of the conversation. */
const NOT_SEARCHED =
  'button:not(.link, .card-line), .code-head, .sr-only, [aria-hidden="true"], hookline-time, textarea, annotation';
/** At most this many places are marked in one element, so that a search for one letter does not block the page. */
const MOST = 2000;

/** The matches of `pattern` (with the flag g) in the drawn text of `root`. A match may span several inline elements. */
function rangesIn(root: Element, pattern: RegExp, most = MOST): Range[] {
  const nodes = textNodes(root);
  const starts: number[] = [];
  let text = '';
  for (const node of nodes) {
    starts.push(text.length);
    text += node.data;
  }
  const ranges: Range[] = [];
  let index = 0;
  for (const match of text.matchAll(pattern)) {
    if (ranges.length >= most) break;
    while (index + 1 < nodes.length && (starts[index + 1] ?? 0) <= match.index) index += 1;
    const range = rangeAt(nodes, starts, index, match);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

function rangeAt(
  nodes: readonly Text[],
  starts: readonly number[],
  index: number,
  match: RegExpExecArray,
): Range | undefined {
  const end = match.index + match[0].length;
  let last = index;
  while (last + 1 < nodes.length && (starts[last + 1] ?? 0) < end) last += 1;
  const from = nodes[index];
  const to = nodes[last];
  if (from === undefined || to === undefined) return undefined;
  const range = document.createRange();
  range.setStart(from, match.index - (starts[index] ?? 0));
  range.setEnd(to, end - (starts[last] ?? 0));
  return range;
}

function textNodes(root: Element): Text[] {
  const nodes: Text[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, node => {
    if (node instanceof Text) return NodeFilter.FILTER_ACCEPT;
    return node instanceof Element && node.matches(NOT_SEARCHED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  while (walker.nextNode() !== null) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  return nodes;
}

/** The host is asked when the text has not changed for this long, ms; after a change of the conversation, twice as long. */
const REST = 150;
/** Minimum time between two updates of the marks, ms. */
const MARK_REST = 80;

export interface FindParts {
  readonly send: (message: WebviewToHost) => void;
  /** Draws a card with a folded part open, and loads it first if necessary; undefined when there is no such card. */
  readonly reveal: (id: string, part: string) => Promise<HTMLElement | undefined>;
  /** The elements of the cards that are drawn now. */
  readonly drawn: () => readonly HTMLElement[];
  /** Id of the first visible card. */
  readonly inView: () => string | undefined;
  /** Ids of the cards that the page has, in order. */
  readonly ids: () => readonly string[];
  /** Called when the bar was closed, so that another element gets the focus. */
  readonly closed: () => void;
}

/**
 * The bar for searching in the conversation. The host searches, because it has the whole conversation with its folded and
 * unloaded parts. The page marks the matches that are drawn and moves from match to match.
 */
export class FindBar {
  private text = '';
  private matchCase = false;
  private request = 0;
  private matches: readonly FoundItem[] | undefined;
  /** Index of the current match; -1 when there is none yet. */
  private current = -1;
  private timer = 0;
  private marking = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly parts: FindParts,
  ) {}

  get isOpen(): boolean {
    return this.host.childElementCount > 0;
  }

  /** How many matches are known. */
  private get total(): number {
    return (this.matches ?? []).reduce((sum, { count }) => sum + count, 0);
  }

  /** Opens and focuses the bar, with the selected text or else the last search text. */
  open(): void {
    const selected = document.getSelection()?.toString().trim() ?? '';
    if (selected !== '' && !selected.includes('\n') && selected.length <= 200) this.text = selected;
    this.draw();
    const field = this.host.querySelector('input');
    if (field) field.value = this.text;
    field?.focus();
    field?.select();
    this.ask(0);
  }

  close(): void {
    if (!this.isOpen) return;
    window.clearTimeout(this.timer);
    this.matches = undefined;
    this.current = -1;
    render(nothing, this.host);
    mark('find', []);
    mark('find-current', []);
    this.parts.closed();
  }

  /** Applies the host's answer. */
  found({ request, matches }: Extract<HostToWebview, { type: 'found' }>): void {
    if (request !== this.request || !this.isOpen) return;
    const isFirst = this.matches === undefined;
    this.matches = matches;
    this.current = Math.min(this.current, this.total - 1);
    if (isFirst && this.total > 0) void this.show(this.firstInView());
    else this.draw();
    this.markSoon();
  }

  /** To be called when the conversation has changed; searches again. */
  changed(): void {
    if (this.isOpen && this.text !== '') this.ask(REST * 2);
  }

  /** To be called when other cards are drawn; marks the matches again. */
  redrawn(): void {
    if (this.isOpen) this.markSoon();
  }

  private ask(rest: number): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.request += 1;
      this.parts.send({ type: 'find', request: this.request, text: this.text, matchCase: this.matchCase });
    }, rest);
  }

  private typed(text: string): void {
    this.text = text;
    this.restart();
  }

  /** Forgets the matches of the earlier text at once: no count may be shown, and no key may move, that belongs to it. */
  private restart(): void {
    this.matches = undefined;
    this.current = -1;
    this.draw();
    this.ask(REST);
    this.markSoon();
  }

  private step(by: 1 | -1): void {
    if (this.total === 0) return;
    const from = this.current < 0 && by < 0 ? 0 : this.current;
    void this.show((from + by + this.total) % this.total);
  }

  /** Index of the match at which a search begins: the first one in the visible cards or below them, else the last one. */
  private firstInView(): number {
    const inView = this.parts.inView();
    const ids = this.parts.ids();
    const visible = new Set(inView === undefined ? [] : ids.slice(ids.indexOf(inView)));
    let index = 0;
    for (const { id, count } of this.matches ?? []) {
      if (visible.has(id)) return index;
      index += count;
    }
    return this.total - 1;
  }

  private async show(index: number): Promise<void> {
    this.current = index;
    this.draw();
    const place = placeOf(this.matches ?? [], index);
    const element = place && (await this.parts.reveal(place.id, place.part));
    if (!place || !element || this.current !== index || !this.isOpen) return;
    const ranges = rangesIn(element, findPattern(this.text, this.matchCase));
    const range = ranges[Math.min(place.nth, ranges.length - 1)];
    // A match may not be drawn as text (markup, the rest of a long text). Then its card is shown.
    if (range === undefined) element.scrollIntoView({ block: 'start' });
    else range.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
    mark('find-current', range === undefined ? [] : [range]);
    this.markSoon();
  }

  private markSoon(): void {
    if (this.marking !== 0) return;
    this.marking = window.setTimeout(() => {
      this.marking = 0;
      const pattern = this.isOpen && this.text !== '' ? findPattern(this.text, this.matchCase) : undefined;
      mark('find', pattern === undefined ? [] : this.parts.drawn().flatMap(element => rangesIn(element, pattern)));
      if (this.total === 0 || pattern === undefined) mark('find-current', []);
    }, MARK_REST);
  }

  private draw(): void {
    render(this.view(), this.host);
  }

  private view(): TemplateResult {
    const none = this.matches !== undefined && this.total === 0 && this.text !== '';
    return html`<div class="find-bar" role="search" @keydown=${this.keyed}>
      <input
        type="text"
        class="find-field ${none ? 'find-none' : ''}"
        data-hookline="find"
        spellcheck="false"
        placeholder=${l10n.t('Find')}
        aria-label=${l10n.t('Find in conversation')}
        @input=${(event: Event) => {
          if (event.currentTarget instanceof HTMLInputElement) this.typed(event.currentTarget.value);
        }}
      />
      <button
        type="button"
        class="icon-button toggle-button"
        aria-label=${l10n.t('Match Case')}
        title="${l10n.t('Match Case')} (Alt+C)"
        aria-pressed=${this.matchCase ? 'true' : 'false'}
        @click=${this.toggleCase}
      >
        ${icon('case-sensitive')}
      </button>
      <span class="find-count" role="status" data-hookline="find-count">${this.countWords()}</span>
      ${iconButton('arrow-up', l10n.t('Previous Match'), () => this.step(-1))}
      ${iconButton('arrow-down', l10n.t('Next Match'), () => this.step(1))}
      ${iconButton('close', l10n.t('Close'), () => this.close())}
    </div>`;
  }

  private countWords(): string {
    if (this.text === '' || this.matches === undefined) return '';
    if (this.total === 0) return l10n.t('No results');
    return l10n.t('{0} of {1}', this.current < 0 ? '?' : this.current + 1, this.total);
  }

  private readonly toggleCase = (): void => {
    this.matchCase = !this.matchCase;
    this.restart();
  };

  private readonly keyed = (event: KeyboardEvent): void => {
    const inField = event.target instanceof HTMLInputElement;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && inField) this.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'F3') this.step(event.shiftKey ? -1 : 1);
    else if (event.altKey && event.code === 'KeyC') this.toggleCase();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** The card and part of the match with this index, and the index `nth` of the match inside of the card. */
function placeOf(
  matches: readonly FoundItem[],
  index: number,
): { readonly id: string; readonly part: string; readonly nth: number } | undefined {
  let before = 0;
  let inItem = 0;
  let item = '';
  for (const { id, part, count } of matches) {
    if (id !== item) inItem = 0;
    item = id;
    if (index < before + count) return { id, part, nth: inItem + index - before };
    before += count;
    inItem += count;
  }
  return undefined;
}

function mark(name: 'find' | 'find-current', ranges: readonly Range[]): void {
  if (ranges.length === 0) CSS.highlights.delete(`hookline-${name}`);
  else CSS.highlights.set(`hookline-${name}`, new Highlight(...ranges));
}
