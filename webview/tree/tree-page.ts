import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { HostToTree, TreeToHost } from '../../src/protocol/session-tree';
import type { Bridge } from '../bridge';
import { icon } from '../controls/controls';
import { visibleText } from '../visible-text';
import { laneView } from './lanes';
import { treeRows, unfoldedFor, WHOLE_TREE, type TreeRow, type TreeView } from './layout';
import { emptyTree, reduceTree, type TreeState } from './tree-state';

/** Height of a row, in px; the style sheet says the same. */
const ROW_PX = 26;
/** Rows drawn above and below what is in view. */
const MARGIN = 20;

const ICONS = {
  user: 'account',
  assistant: 'hubot',
  tool: 'tools',
  command: 'terminal',
  hook: 'plug',
  summary: 'fold',
} as const;

/** The page that draws a session's tree: filters on top, one row per entry or folded run, lanes for branches. */
export class TreePage {
  private state: TreeState = emptyTree();
  private view: TreeView = WHOLE_TREE;
  private rows: readonly TreeRow[] = [];
  private selected: string | undefined;
  private drawing = 0;
  /** The next drawing brings the marked row into view. */
  private bring = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly bridge: Bridge<HostToTree, TreeToHost>,
  ) {}

  start(): void {
    window.addEventListener('resize', () => this.draw());
    window.addEventListener('focus', () => {
      if (document.activeElement === document.body) this.tree()?.focus();
    });
    this.bridge.onMessage(message => this.receive(message));
    this.bridge.send({ type: 'ready' });
    this.draw();
  }

  private receive(message: HostToTree): void {
    if (message.type === 'select') {
      this.view = unfoldedFor(this.state, this.view, message.id);
      this.select(message.id);
      this.tree()?.focus();
      return;
    }
    const first = this.state.leaf === null;
    this.state = reduceTree(this.state, message);
    if (message.type === 'leaf' && message.id !== null && (first || this.selected === undefined)) {
      this.select(message.id);
    }
    this.draw();
  }

  private select(key: string | undefined): void {
    this.selected = key;
    this.bring = true;
    this.draw();
  }

  private look(change: Partial<TreeView>): void {
    this.view = { ...this.view, ...change };
    this.bring = true;
    this.draw();
  }

  private toggle(row: TreeRow): void {
    const toggled = new Set(this.view.toggled);
    const { id } = row.node.entry;
    if (!toggled.delete(id)) toggled.add(id);
    this.look({ toggled });
  }

  private tree(): HTMLElement | null {
    return this.root.querySelector<HTMLElement>('.tree-rows');
  }

  private draw(): void {
    if (this.drawing !== 0) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.rows = treeRows(this.state, this.view);
      render(this.page(), this.root);
      this.place();
      this.root.dataset['ready'] = String(this.state.done);
    });
  }

  /** Keys come faster than frames on a busy machine: they act on the rows as they will be drawn. */
  private settle(): void {
    if (this.drawing !== 0) this.rows = treeRows(this.state, this.view);
  }

  /** Sizes are set from here because the page's policy forbids style attributes. */
  private place(): void {
    const tree = this.tree();
    const space = this.root.querySelector<HTMLElement>('.tree-space');
    const drawn = this.root.querySelector<HTMLElement>('.tree-window');
    if (tree === null || space === null || drawn === null) return;
    space.style.height = `${this.rows.length * ROW_PX}px`;
    drawn.style.transform = `translateY(${this.first(tree) * ROW_PX}px)`;
    if (!this.bring) return;
    this.bring = false;
    const top = this.at() * ROW_PX;
    const before = tree.scrollTop;
    if (top < before) tree.scrollTop = top;
    if (top + ROW_PX > before + tree.clientHeight) tree.scrollTop = top + ROW_PX - tree.clientHeight;
    if (tree.scrollTop !== before) this.draw();
  }

  private first(tree: HTMLElement | null): number {
    return Math.max(0, Math.floor((tree?.scrollTop ?? 0) / ROW_PX) - MARGIN);
  }

  /** Index of the marked row; -1 when it is not drawn. */
  private at(): number {
    return this.rows.findIndex(row => row.key === this.selected);
  }

  private page(): TemplateResult {
    return html`${this.toolbar()} ${this.picture()}
      <p class="tree-hint">
        <span>${l10n.t('Enter: go there')}</span> · <span>${l10n.t('L: label')}</span> ·
        <span>${l10n.t('C: current message')}</span> · <span>${l10n.t('/: filter')}</span>
      </p>`;
  }

  private toolbar(): TemplateResult {
    const { title, nodes, done } = this.state;
    const count = nodes.size === 1 ? l10n.t('1 entry') : l10n.t('{0} entries', nodes.size.toLocaleString());
    return html`<form class="tree-filters" role="search" @submit=${preventDefault}>
      <h1 class="clip">${visibleText(title === '' ? l10n.t('Session tree') : title)}</h1>
      <input
        type="search"
        aria-label=${l10n.t('Filter by text')}
        placeholder=${l10n.t('Filter by text')}
        .value=${this.view.text}
        @input=${(event: InputEvent) => {
          if (event.target instanceof HTMLInputElement) this.look({ text: event.target.value });
        }}
        @keydown=${(event: KeyboardEvent) => this.filterKey(event)}
      />
      <select
        aria-label=${l10n.t('Show')}
        @change=${(event: Event) => {
          if (event.target instanceof HTMLSelectElement) this.look({ show: event.target.value as TreeView['show'] });
        }}
      >
        ${this.choice('all', l10n.t('Everything'))} ${this.choice('user', l10n.t('Your messages'))}
        ${this.choice('labelled', l10n.t('Labelled'))}
      </select>
      <button
        type="button"
        class="button secondary"
        title=${l10n.t('C: current message')}
        ?disabled=${this.state.leaf === null}
        @click=${() => this.toCurrent()}
      >
        ${l10n.t('Current')}
      </button>
      <span class="tree-count" role="status">${done ? count : l10n.t('Reading… {0}', count)}</span>
    </form>`;
  }

  private choice(value: TreeView['show'], label: string): TemplateResult {
    return html`<option value=${value} ?selected=${this.view.show === value}>${label}</option>`;
  }

  private picture(): TemplateResult {
    const tree = this.tree();
    const first = this.first(tree);
    const height = tree?.clientHeight ?? 600;
    const visible = this.rows.slice(first, first + Math.ceil(height / ROW_PX) + 2 * MARGIN);
    const active = this.at();
    const empty =
      this.rows.length > 0 || !this.state.done
        ? nothing
        : html`<p class="tree-empty">
            ${this.state.nodes.size === 0 ? l10n.t('Nothing was said in this session yet.') : l10n.t('Nothing passes the filter.')}
          </p>`;
    return html`<div
      class="tree-rows"
      role="tree"
      tabindex="0"
      aria-label=${l10n.t('Branches of the session')}
      aria-activedescendant=${active < 0 ? '' : `row-${active}`}
      @scroll=${() => this.draw()}
      @keydown=${(event: KeyboardEvent) => this.onKey(event)}
    >
      ${empty}
      <div class="tree-space" role="presentation">
        <div class="tree-window" role="presentation">
          ${repeat(
            visible,
            // A row that moves while it is being clicked must not turn into its neighbour.
            row => row.key,
            (row, place) => this.rowView(row, first + place),
          )}
        </div>
      </div>
    </div>`;
  }

  private rowView(row: TreeRow, index: number): TemplateResult {
    const { entry } = row.node;
    const label = this.state.labels.get(entry.id);
    const isRun = row.count > 1;
    const isLeaf = entry.id === this.state.leaf && !isRun;
    const go = (): void => {
      this.select(row.key);
      if (isRun) this.toggle(row);
      else this.bridge.send({ type: 'go', id: entry.id });
    };
    return html`<div
      id="row-${index}"
      class="tree-row"
      role="treeitem"
      data-entry=${entry.id}
      data-kind=${isRun ? 'run' : entry.kind}
      data-lane=${row.lane}
      ?data-current=${isLeaf}
      ?data-path=${row.onPath}
      aria-selected=${row.key === this.selected}
      aria-current=${isLeaf ? 'location' : nothing}
      aria-level=${row.lane + (row.inRun ? 2 : 1)}
      aria-posinset=${row.place}
      aria-setsize=${row.places}
      aria-expanded=${row.expanded ?? nothing}
      @click=${go}
    >
      ${laneView(row)}${this.twistie(row)}
      <span class="tree-icon">${icon(isRun ? 'ellipsis' : ICONS[entry.kind])}</span>
      <span class="tree-text clip" title=${isRun ? nothing : visibleText(entry.text)}
        >${isRun ? l10n.t('{0} steps', row.count) : visibleText(entry.text === '' ? '—' : entry.text)}</span
      >
      ${label === undefined || isRun ? nothing : labelView(visibleText(label))}
      ${isLeaf ? html`<span class="tree-here">${l10n.t('current')}</span>` : nothing}
      <span class="tree-time">${timeOf(entry.time)}</span>
    </div>`;
  }

  private twistie(row: TreeRow): TemplateResult {
    if (row.expanded === undefined) return html`<span class="tree-twistie"></span>`;
    const toggle = (event: Event): void => {
      event.stopPropagation();
      this.select(row.key);
      this.toggle(row);
    };
    return html`<span class="tree-twistie" @click=${toggle}
      >${icon(row.expanded ? 'chevron-down' : 'chevron-right')}</span
    >`;
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    this.settle();
    const active = this.at();
    const row = this.rows[active];
    const to = this.target(event.key, active, row);
    if (to !== undefined) this.select(this.rows[Math.min(this.rows.length - 1, Math.max(0, to))]?.key);
    else if (!this.act(event.key, row)) return;
    event.preventDefault();
  }

  /** Index of the row that a key leads to; undefined for keys that do something else. */
  private target(key: string, active: number, row: TreeRow | undefined): number | undefined {
    switch (key) {
      case 'ArrowDown':
        return active + 1;
      case 'ArrowUp':
        return active - 1;
      case 'PageDown':
        return active + 15;
      case 'PageUp':
        return active - 15;
      case 'Home':
        return 0;
      case 'End':
        return this.rows.length - 1;
      case 'ArrowRight':
        return row?.expanded === false ? undefined : active + 1;
      case 'ArrowLeft':
        return row?.expanded === true && !this.isFork(row) ? undefined : this.above(active, row);
      default:
        return undefined;
    }
  }

  /** The row that this one hangs on: its run, the place where its branch parts, or what was before. */
  private above(active: number, row: TreeRow | undefined): number {
    if (row === undefined) return 0;
    const before = this.rows.slice(0, active);
    if (row.inRun) return before.findLastIndex(each => each.count > 1);
    if (row.lane > 0) {
      const fork = before.findLastIndex(each => each.lane < row.lane);
      if (fork >= 0) return fork;
    }
    return active - 1;
  }

  private isFork(row: TreeRow): boolean {
    return row.count === 1;
  }

  private act(key: string, row: TreeRow | undefined): boolean {
    switch (key) {
      case 'Enter':
        if (row?.count === 1) this.bridge.send({ type: 'go', id: row.node.entry.id });
        else if (row) this.toggle(row);
        return true;
      case ' ':
      case 'ArrowRight':
      case 'ArrowLeft':
        if (row?.expanded !== undefined) this.toggle(row);
        return true;
      case 'l':
      case 'L':
        if (row?.count === 1) this.bridge.send({ type: 'label', id: row.node.entry.id });
        return true;
      case 'c':
      case 'C':
        this.toCurrent();
        return true;
      case '/':
        this.root.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
        return true;
      default:
        return false;
    }
  }

  private toCurrent(): void {
    const { leaf } = this.state;
    if (leaf === null) return;
    this.view = unfoldedFor(this.state, this.view, leaf);
    this.select(leaf);
    this.tree()?.focus();
  }

  private filterKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.look({ text: '' });
    else if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    this.settle();
    if (this.at() < 0) this.select(this.rows[0]?.key);
    this.tree()?.focus();
  }
}

function labelView(label: string): TemplateResult {
  return html`<span class="tree-label" title=${label}>${label}</span>`;
}

function timeOf(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? '' : time.toLocaleString([], { dateStyle: 'short', timeStyle: 'short' });
}

function preventDefault(event: Event): void {
  event.preventDefault();
}
