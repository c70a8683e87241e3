import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

/** Rows drawn above and below what is in view. */
const MARGIN = 20;
/** Rows that Page Up and Page Down go. */
const PAGE = 15;
/** Height of a list that is not measured yet, px. */
const FIRST_HEIGHT = 600;

/** Where a row stands. */
export interface RowPlace {
  /** The id that its element must have. */
  readonly id: string;
  readonly index: number;
  readonly selected: boolean;
}

/** What a list shows, and how. */
export interface ListParts<Row> {
  readonly role: 'listbox' | 'tree';
  /** The element's only class. */
  readonly name: string;
  /** Height of each row, in px; the style sheet says the same. */
  readonly rowPx: number;
  /** All rows as they are now. */
  readonly rows: () => readonly Row[];
  /** Draws a row as one element, which tells screen readers whether it is selected. */
  readonly row: (row: Row, place: RowPlace) => TemplateResult;
  /** To be called with each key while the list has the focus. */
  readonly keyed: (event: KeyboardEvent) => void;
  /** The page that the list is drawn in. */
  readonly page: { readonly isStale: boolean; draw(): void };
}

/**
 * A list of rows of one height, of which only those near the visible part are drawn. One row may be selected; the
 * keyboard stays on the list, which names that row to screen readers.
 */
export class VirtualList<Row extends { readonly key: string }> {
  private rows: readonly Row[] = [];
  private selected: string | undefined;
  private element: HTMLElement | null = null;
  /** The next drawing brings the selected row into view. */
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

  /** Selects a row, or none, without a move of the list. */
  select(key: string | undefined): void {
    this.selected = key;
    this.parts.page.draw();
  }

  /** Selects a row and brings it into view. */
  goTo(key: string | undefined): void {
    this.select(key);
    this.bringIntoView();
  }

  /** Brings the selected row into view once it is drawn. */
  bringIntoView(): void {
    this.brings = true;
    this.parts.page.draw();
  }

  focus(): void {
    this.element?.focus();
  }

  /** Takes the rows as they are now. */
  refresh(): void {
    this.rows = this.parts.rows();
  }

  /** Before a key is read: keys come faster than frames on a busy machine, and act on the rows as they will be drawn. */
  settle(): void {
    if (this.parts.page.isStale) this.refresh();
  }

  /** What is being read stays where it is after `count` rows came in above. */
  cameAbove(count: number): void {
    if (this.element !== null && this.element.scrollTop > 0) this.element.scrollTop += count * this.parts.rowPx;
  }

  /** Index of the row that a key leads to from `from`, within the rows; undefined for keys that do something else. */
  target(key: string, from = this.selectedIndex): number | undefined {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };
    const last = this.rows.length - 1;
    const step = steps[key];
    if (step !== undefined) return Math.min(last, Math.max(0, from + step));
    return key === 'Home' ? 0 : key === 'End' ? last : undefined;
  }

  /** Draws the rows of the last refresh. */
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
            // A row keeps its element: one that moves while it is being clicked must not turn into its neighbour.
            each => each.key,
            (each, at) => row(each, { id: `row-${first + at}`, index: first + at, selected: first + at === selected }),
          )}
        </div>
      </div>
    </div>`;
  }

  /** To be called after each drawing. Sizes are set from here because the page's policy forbids style attributes. */
  drawn(root: HTMLElement): void {
    const list = root.querySelector<HTMLElement>('[data-list]');
    this.element = list;
    const space = list?.querySelector<HTMLElement>('.list-space');
    const drawn = list?.querySelector<HTMLElement>('.list-window');
    if (!list || !space || !drawn) return;
    const { rowPx } = this.parts;
    space.style.height = `${this.rows.length * rowPx}px`;
    drawn.style.transform = `translateY(${this.first() * rowPx}px)`;
    if (!this.brings) return;
    this.brings = false;
    const top = this.selectedIndex * rowPx;
    const before = list.scrollTop;
    if (top < before) list.scrollTop = top;
    if (top + rowPx > before + list.clientHeight) list.scrollTop = top + rowPx - list.clientHeight;
    if (list.scrollTop !== before) this.parts.page.draw();
  }

  private first(): number {
    return Math.max(0, Math.floor((this.element?.scrollTop ?? 0) / this.parts.rowPx) - MARGIN);
  }
}
