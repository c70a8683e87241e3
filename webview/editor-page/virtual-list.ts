import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

/** How many rows are drawn above and below the visible part. */
const MARGIN = 20;
/** How many rows Page Up and Page Down move. */
const PAGE = 15;
/** Assumed height of a list that is not measured yet, px. */
const FIRST_HEIGHT = 600;

/** The position of a row. */
export interface RowPlace {
  /** The id that its element must have. */
  readonly id: string;
  readonly index: number;
  readonly selected: boolean;
}

/** What a list shows and how it draws rows. */
export interface ListParts<Row> {
  readonly role: 'listbox' | 'tree';
  /** The CSS class of the list. */
  readonly name: string;
  /** Height of each row, px. The style sheet must set the same. */
  readonly rowPx: number;
  /** All current rows. */
  readonly rows: () => readonly Row[];
  /** Draws a row as one element with `aria-selected`. */
  readonly row: (row: Row, place: RowPlace) => TemplateResult;
  /** Called for each key while the list has the focus. */
  readonly keyed: (event: KeyboardEvent) => void;
  /** The page that the list is drawn in. */
  readonly page: { readonly isStale: boolean; draw(): void };
}

/**
 * A list of rows with equal heights that draws only the rows near the visible part. One row may be selected. The focus
 * stays on the list, and `aria-activedescendant` tells screen readers which row is selected.
 */
export class VirtualList<Row extends { readonly key: string }> {
  private rows: readonly Row[] = [];
  private selected: string | undefined;
  private element: HTMLElement | null = null;
  /** The next drawing scrolls to the selected row. */
  private brings = false;

  constructor(private readonly parts: ListParts<Row>) {}

  get selectedKey(): string | undefined {
    return this.selected;
  }

  /** Index of the selected row; -1 when there is none, or it is not among the rows. */
  get selectedIndex(): number {
    return this.rows.findIndex(row => row.key === this.selected);
  }

  get selectedRow(): Row | undefined {
    return this.rows[this.selectedIndex];
  }

  get all(): readonly Row[] {
    return this.rows;
  }

  /** Selects a row, or none, without scrolling. */
  select(key: string | undefined): void {
    this.selected = key;
    this.parts.page.draw();
  }

  /** Selects a row and scrolls to it. */
  goTo(key: string | undefined): void {
    this.select(key);
    this.bringIntoView();
  }

  /** Scrolls to the selected row after the next drawing. */
  bringIntoView(): void {
    this.brings = true;
    this.parts.page.draw();
  }

  focus(): void {
    this.element?.focus();
  }

  /** Reads the current rows. */
  refresh(): void {
    this.rows = this.parts.rows();
  }

  /** To be called before a key is handled: keys may come faster than frames, and must act on the current rows. */
  settle(): void {
    if (this.parts.page.isStale) this.refresh();
  }

  /** Reads the current rows after some came or went. A list that is scrolled keeps its first visible row in place. */
  refreshInPlace(): void {
    const { element } = this;
    const { rowPx } = this.parts;
    const top = Math.floor((element?.scrollTop ?? 0) / rowPx);
    const key = this.rows[top]?.key;
    this.refresh();
    if (element === null || element.scrollTop === 0) return;
    const now = this.rows.findIndex(row => row.key === key);
    if (now < 0) return;
    this.stretch(element);
    element.scrollTop += (now - top) * rowPx;
  }

  /** Index of the row to which a key moves from index `from`; undefined for keys that do not move. */
  target(key: string, from = this.selectedIndex): number | undefined {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };
    const last = this.rows.length - 1;
    const step = steps[key];
    if (step !== undefined) return Math.min(last, Math.max(0, from + step));
    return key === 'Home' ? 0 : key === 'End' ? last : undefined;
  }

  /** Draws the rows of the last `refresh`, after `before`. */
  view(label: string, before: TemplateResult | typeof nothing = nothing): TemplateResult {
    const { role, name, rowPx, row, keyed, page } = this.parts;
    const first = this.first();
    const height = this.element?.clientHeight ?? FIRST_HEIGHT;
    const visible = this.rows.slice(first, first + Math.ceil(height / rowPx) + 2 * MARGIN);
    const selected = this.selectedIndex;
    return html`<div
      class=${name}
      data-list
      role=${role}
      tabindex="0"
      aria-label=${label}
      aria-activedescendant=${selected < 0 ? '' : `row-${selected}`}
      @scroll=${() => page.draw()}
      @keydown=${keyed}
    >
      ${before}
      <div class="list-space" role="presentation">
        <div class="list-window" role="presentation">
          ${repeat(
            visible,
            // A row keeps its element, so that a click on a row that moves does not hit its neighbor.
            each => each.key,
            (each, at) => row(each, { id: `row-${first + at}`, index: first + at, selected: first + at === selected }),
          )}
        </div>
      </div>
    </div>`;
  }

  /** To be called after each drawing. Sets sizes by script, because the page's security policy forbids style attributes. */
  drawn(root: HTMLElement): void {
    const list = root.querySelector<HTMLElement>('[data-list]');
    this.element = list;
    const drawn = list?.querySelector<HTMLElement>('.list-window');
    if (!list || !drawn) return;
    const { rowPx } = this.parts;
    this.stretch(list);
    drawn.style.transform = `translateY(${this.first() * rowPx}px)`;
    if (!this.brings) return;
    this.brings = false;
    const top = this.selectedIndex * rowPx;
    const before = list.scrollTop;
    if (top < before) list.scrollTop = top;
    if (top + rowPx > before + list.clientHeight) list.scrollTop = top + rowPx - list.clientHeight;
    if (list.scrollTop !== before) this.parts.page.draw();
  }

  /** Gives the list the height of all rows. */
  private stretch(list: HTMLElement): void {
    list
      .querySelector<HTMLElement>('.list-space')
      ?.style.setProperty('height', `${this.rows.length * this.parts.rowPx}px`);
  }

  private first(): number {
    return Math.max(0, Math.floor((this.element?.scrollTop ?? 0) / this.parts.rowPx) - MARGIN);
  }
}
