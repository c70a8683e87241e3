import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { HostToTree, TreeToHost } from '../../src/protocol/pages/session-tree';
import { relativeTime } from '../../src/protocol/base/relative-time';
import { icon } from '../controls/controls';
import { EditorPage } from '../editor-page/editor-page';
import { chooser, countView, filterBar, searchField, type Choice } from '../editor-page/filter-bar';
import { VirtualList, type RowPlace } from '../editor-page/virtual-list';
import { visibleText } from '../../src/base/text/visible-text';
import { laneView } from './lanes';
import { treeRows, unfoldedFor, WHOLE_TREE, type TreeFilter, type TreeRow, type TreeView } from './layout';
import { emptyTree, reduceTree, type TreeState } from './tree-state';

const ICONS = {
  user: 'account',
  assistant: 'hubot',
  tool: 'tools',
  command: 'terminal',
  hook: 'plug',
  summary: 'fold',
  unknown: 'question',
} as const;

/** How often relative times, such as "2 minutes ago", are updated, ms. */
const MINUTE_MS = 60_000;

/** The page of the session tree: filters at the top, one row per entry or run, and lanes for branches. */
export class TreePage extends EditorPage<HostToTree, TreeToHost, TreeFilter> {
  private state: TreeState = emptyTree();
  private filter: TreeView = { ...WHOLE_TREE, ...this.bridge.load() };
  private known: { readonly of: TreeState; readonly by: TreeView; readonly rows: readonly TreeRow[] } | undefined;
  private readonly list = new VirtualList<TreeRow>({
    role: 'tree',
    name: 'tree-rows',
    rowPx: 26,
    rows: () => this.rows(),
    row: (row, place) => this.rowView(row, place),
    keyed: event => this.keyed(event),
    page: this,
  });

  override start(): void {
    window.addEventListener('focus', () => {
      if (document.activeElement === document.body) this.list.focus();
    });
    setInterval(() => this.draw(), MINUTE_MS);
    super.start();
  }

  protected override receive(message: HostToTree): void {
    if (message.type === 'select') {
      this.reach(message.id);
      return;
    }
    const first = this.state.leaf === null;
    this.state = reduceTree(this.state, message);
    // The entries of another session.
    if (message.type === 'entries' && message.replace) this.list.select(undefined);
    if (message.type === 'leaf' && message.id !== null && (first || this.list.selectedKey === undefined)) {
      this.list.goTo(message.id);
    }
  }

  /** The rows to show. They are computed once for each state, because the list asks for them at each scroll step. */
  private rows(): readonly TreeRow[] {
    const { state: of, filter: by } = this;
    if (this.known?.of !== of || this.known.by !== by) this.known = { of, by, rows: treeRows(of, by) };
    return this.known.rows;
  }

  /** Selects an entry, unfolds what hides it, and focuses the list. */
  private reach(id: string): void {
    this.filter = unfoldedFor(this.state, this.filter, id);
    this.list.goTo(id);
    this.list.focus();
  }

  private look(change: Partial<TreeView>): void {
    this.filter = { ...this.filter, ...change };
    this.bridge.save({ text: this.filter.text, show: this.filter.show });
    this.list.bringIntoView();
  }

  private toggle(row: TreeRow): void {
    const toggled = new Set(this.filter.toggled);
    const { id } = row.node.entry;
    if (!toggled.delete(id)) toggled.add(id);
    this.look({ toggled });
  }

  protected override isReady(): boolean {
    return this.state.done;
  }

  protected override view(): TemplateResult {
    this.list.refresh();
    return html`${this.toolbar()} ${this.list.view(l10n.t('Branches of the session'), this.emptyText())}
      <p class="tree-hint">
        <span>${l10n.t('Enter: go there')}</span> · <span>${l10n.t('L: label')}</span> ·
        <span>${l10n.t('C: current message')}</span> · <span>${l10n.t('/: filter')}</span>
      </p>`;
  }

  protected override drawn(): void {
    this.list.drawn(this.root);
  }

  private toolbar(): TemplateResult {
    const { title, nodes, done } = this.state;
    const count = nodes.size === 1 ? l10n.t('1 entry') : l10n.t('{0} entries', nodes.size.toLocaleString());
    const shows: readonly Choice<TreeView['show']>[] = [
      { value: 'all', name: l10n.t('Everything') },
      { value: 'user', name: l10n.t('Your messages') },
      { value: 'labelled', name: l10n.t('Labeled') },
    ];
    return filterBar(html`
      <h1 class="clip">${visibleText(title === '' ? l10n.t('Session tree') : title)}</h1>
      ${searchField({
        label: l10n.t('Filter by text'),
        placeholder: l10n.t('Filter by text'),
        value: this.filter.text,
        changed: text => this.look({ text }),
        keyed: event => this.filterKey(event),
      })}
      ${chooser(l10n.t('Show'), this.filter.show, shows, show => this.look({ show }))}
      <button
        type="button"
        class="button secondary"
        title=${l10n.t('C: current message')}
        ?disabled=${this.state.leaf === null}
        @click=${() => this.toCurrent()}
      >
        ${l10n.t('Current')}
      </button>
      ${countView(done ? count : l10n.t('Reading… {0}', count))}
    `);
  }

  private emptyText(): TemplateResult | typeof nothing {
    if (this.list.all.length > 0 || !this.state.done) return nothing;
    return html`<p class="nothing">
      ${this.state.nodes.size === 0 ? l10n.t('This session is empty.') : l10n.t('Nothing matches the filter.')}
    </p>`;
  }

  private rowView(row: TreeRow, { id, selected }: RowPlace): TemplateResult {
    const { entry } = row.node;
    const label = this.state.labels.get(entry.id);
    const isRun = row.count > 1;
    const isLeaf = entry.id === this.state.leaf && !isRun;
    const go = (): void => {
      this.list.goTo(row.key);
      if (isRun) this.toggle(row);
      else this.bridge.send({ type: 'continueFrom', id: entry.id });
    };
    return html`<div
      id=${id}
      class="row tree-row"
      role="treeitem"
      data-entry=${entry.id}
      data-kind=${isRun ? 'run' : entry.kind}
      data-lane=${row.lane}
      ?data-current=${isLeaf}
      ?data-path=${row.onPath}
      aria-selected=${selected}
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
      ${isLeaf ? html`<span class="tree-here">${l10n.t('current')}</span>` : nothing} ${timeView(entry.time)}
    </div>`;
  }

  private twistie(row: TreeRow): TemplateResult {
    if (row.expanded === undefined) return html`<span class="tree-twistie"></span>`;
    const toggle = (event: Event): void => {
      event.stopPropagation();
      this.list.goTo(row.key);
      this.toggle(row);
    };
    return html`<span class="tree-twistie" @click=${toggle}
      >${icon(row.expanded ? 'chevron-down' : 'chevron-right')}</span
    >`;
  }

  private keyed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    this.list.settle();
    const row = this.list.selectedRow;
    const to = this.target(event.key, row);
    if (to !== undefined) this.list.goTo(this.list.all[Math.max(0, to)]?.key);
    else if (!this.act(event.key, row)) return;
    event.preventDefault();
  }

  /** Index of the row to which a key moves; undefined for keys that do something else. */
  private target(key: string, row: TreeRow | undefined): number | undefined {
    if (key === 'ArrowRight') return row?.expanded === false ? undefined : this.list.target('ArrowDown');
    if (key !== 'ArrowLeft') return this.list.target(key);
    if (row?.expanded === true && row.count > 1) return undefined;
    return this.above(row) ?? this.list.target('ArrowUp');
  }

  /** Index of the parent row: the run of a step, or the row where the branch begins. Undefined when there is none. */
  private above(row: TreeRow | undefined): number | undefined {
    if (row === undefined) return 0;
    const before = this.list.all.slice(0, this.list.selectedIndex);
    if (row.inRun) return before.findLastIndex(each => each.count > 1);
    const fork = row.lane > 0 ? before.findLastIndex(each => each.lane < row.lane) : -1;
    return fork < 0 ? undefined : fork;
  }

  private act(key: string, row: TreeRow | undefined): boolean {
    switch (key) {
      case 'Enter':
        if (row?.count === 1) this.bridge.send({ type: 'continueFrom', id: row.node.entry.id });
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
    if (this.state.leaf !== null) this.reach(this.state.leaf);
  }

  private filterKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.look({ text: '' });
    else if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    this.list.settle();
    if (this.list.selectedIndex < 0) this.list.goTo(this.list.all[0]?.key);
    this.list.focus();
  }
}

function labelView(label: string): TemplateResult {
  return html`<span class="tree-label" title=${label}>${label}</span>`;
}

/** The time as text, such as "2 minutes ago"; a tooltip shows the exact time. */
function timeView(iso: string): TemplateResult {
  const time = new Date(iso);
  const isTime = !Number.isNaN(time.getTime());
  const exact = isTime ? time.toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' }) : nothing;
  return html`<time class="tree-time" datetime=${iso} title=${exact}
    >${isTime ? relativeTime(time, Date.now(), document.documentElement.lang) : nothing}</time
  >`;
}
