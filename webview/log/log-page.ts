import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { HostToLog, LogDetails, LogFilter, LogSpan, LogRow, LogToHost } from '../../src/protocol/pages/log';
import type { Bridge } from '../bridge';
import { EditorPage } from '../editor-page/editor-page';
import { chooser, countView, filterBar, searchField, type Choice } from '../editor-page/filter-bar';
import { VirtualList, type RowPlace } from '../editor-page/virtual-list';
import { icon } from '../controls/controls';
import { timeBars } from '../controls/time-bars';
import { duration } from '../format';
import { visibleText } from '../../src/base/text/visible-text';
import { detailsView } from './details-view';
import { decisionText, groupDetails, groupTitle, withAgent } from './group-view';
import { barsOfGroup, barsOfRow, logLines, type ListLine } from './log-lines';

/** How many rows, and how many spans, the page keeps. The host keeps the same number. */
const MOST_ROWS = 4_000;

export const NO_FILTER: LogFilter = { hookPath: '', registeredAs: '', tool: '', outcome: '', text: '' };

/** The state of the page. */
export interface LogState {
  /** Newest first. */
  readonly rows: readonly LogRow[];
  /** In the order in which they ended. */
  readonly spans: readonly LogSpan[];
  readonly filter: LogFilter;
  /** The host's answer to the search for `text`. Until it comes, only the texts of the rows are searched. */
  readonly found: { readonly text: string; readonly keys: ReadonlySet<string> } | undefined;
}

/** Adds rows of the host, which are given newest last, or replaces all rows by them. */
export function withRows(state: LogState, rows: readonly LogRow[], replace: boolean): LogState {
  const fresh = [...rows].reverse();
  return { ...state, rows: (replace ? fresh : [...fresh, ...state.rows]).slice(0, MOST_ROWS) };
}

/** Adds spans of the host, or replaces all spans by them. */
function withSpans(state: LogState, spans: readonly LogSpan[], replace: boolean): LogState {
  return { ...state, spans: [...(replace ? [] : state.spans), ...spans].slice(-MOST_ROWS) };
}

/** The rows that match the filter. */
export function shownRows({ rows, filter, found }: LogState): readonly LogRow[] {
  const text = filter.text.trim().toLowerCase();
  const answered = found !== undefined && found.text === filter.text ? found.keys : undefined;
  return rows.filter(row => {
    if (filter.hookPath !== '' && row.hookPath !== filter.hookPath) return false;
    if (filter.registeredAs !== '' && row.registeredAs !== filter.registeredAs) return false;
    if (filter.tool !== '' && row.tool !== filter.tool) return false;
    if (filter.outcome !== '' && row.outcome !== filter.outcome) return false;
    if (text === '' || answered?.has(row.key) === true) return true;
    const parts = [row.hook, row.event, row.registeredAs, row.tool, row.text, row.agent ?? ''];
    return parts.some(part => part.toLowerCase().includes(text));
  });
}

/** The values of a column, sorted, for its filter. */
export function valuesOf(rows: readonly LogRow[], column: 'registeredAs' | 'tool' | 'outcome'): readonly string[] {
  return [...new Set(rows.map(row => row[column]))].filter(value => value !== '').sort();
}

/** The hooks of the rows, sorted by name, for the filter. */
export function hooksOf(rows: readonly LogRow[]): readonly Choice<string>[] {
  const names = new Map(rows.map(row => [row.hookPath, row.hook]));
  return [...names].map(([value, name]) => ({ value, name })).sort((a, b) => a.name.localeCompare(b.name));
}

/** Keys that open and close groups, as in VS Code's trees. */
const OPENING: Readonly<Record<string, 'open' | 'close' | 'switch'>> = {
  ArrowRight: 'open',
  ArrowLeft: 'close',
  Enter: 'switch',
  ' ': 'switch',
};

/** The host is asked to search this long after the last typed character or the first new row, ms. */
const SEARCH_MS = 200;

/** The page of the hook log: filters, the entries by turn and call with the newest first, and the details of one of them. */
export class LogPage extends EditorPage<HostToLog, LogToHost, LogFilter> {
  private state: LogState;
  private details: LogDetails | undefined;
  /** The timer of the next search; undefined when none is due. */
  private searching: number | undefined;
  private hasRows = false;
  /** Keys of groups and of quiet lines that the user opened or closed, against their default. */
  private toggled: ReadonlySet<string> = new Set();
  private known:
    { readonly from: readonly unknown[]; readonly rows: number; readonly lines: readonly ListLine[] } | undefined;
  private readonly list = new VirtualList<ListLine>({
    role: 'tree',
    name: 'log-rows',
    rowPx: 22,
    rows: () => this.lines().lines,
    row: (line, place) => this.lineView(line, place),
    keyed: event => this.keyed(event),
    page: this,
  });

  constructor(root: HTMLElement, bridge: Bridge<HostToLog, LogToHost, LogFilter>) {
    super(root, bridge);
    this.state = { rows: [], spans: [], filter: bridge.load() ?? NO_FILTER, found: undefined };
  }

  protected override receive(message: HostToLog): void {
    switch (message.type) {
      case 'rows':
        this.take(withRows(this.state, message.rows, message.replace), message.replace);
        this.hasRows = true;
        break;
      case 'spans':
        this.take(withSpans(this.state, message.spans, message.replace), message.replace);
        break;
      case 'details':
        if (message.details.key === this.list.selectedKey) this.details = message.details;
        break;
      case 'found':
        this.state = { ...this.state, found: { text: message.text, keys: new Set(message.keys) } };
        break;
      case 'filter':
        this.filterBy(message.filter);
        break;
    }
  }

  private take(state: LogState, replace: boolean): void {
    this.state = state;
    this.searchSoon();
    if (replace) this.list.refresh();
    else this.list.refreshInPlace();
  }

  /** The lines to show. They are computed once for each state, because the list asks for them at each scroll step. */
  private lines(): { readonly rows: number; readonly lines: readonly ListLine[] } {
    const { state, toggled } = this;
    if (this.known?.from[0] === state && this.known.from[1] === toggled) return this.known;
    const rows = shownRows(state);
    const isFiltered = JSON.stringify(state.filter) !== JSON.stringify(NO_FILTER);
    const lines = logLines(rows, state.spans, { toggled, isFiltered });
    this.known = { from: [state, toggled], rows: rows.length, lines };
    return this.known;
  }

  /** Opens (`wanted` true) or closes a group or a quiet line; without `wanted`, switches it. */
  private toggle(line: ListLine | undefined, wanted?: boolean): void {
    if (line === undefined || line.type === 'row' || line.isOpen === wanted) return;
    const toggled = new Set(this.toggled);
    if (!toggled.delete(line.key)) toggled.add(line.key);
    this.toggled = toggled;
    this.draw();
  }

  private filterBy(change: Partial<LogFilter>): void {
    const filter = { ...this.state.filter, ...change };
    this.state = { ...this.state, filter };
    this.bridge.save(filter);
    if (change.text !== undefined) {
      window.clearTimeout(this.searching);
      this.searching = undefined;
      this.searchSoon();
    }
    this.draw();
  }

  /** Asks the host to search, unless that is due already: rows may come faster than searches. */
  private searchSoon(): void {
    const { text } = this.state.filter;
    if (text.trim() === '') return;
    this.searching ??= window.setTimeout(() => {
      this.searching = undefined;
      this.bridge.send({ type: 'search', text });
    }, SEARCH_MS);
  }

  private select(key: string | undefined): void {
    this.list.select(key);
    this.details = undefined;
    if (this.state.rows.some(row => row.key === key) && key !== undefined) this.bridge.send({ type: 'select', key });
  }

  private keyed(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.select(undefined);
    this.list.settle();
    const opens = OPENING[event.key];
    if (opens !== undefined) {
      event.preventDefault();
      this.toggle(this.list.selectedRow, opens === 'switch' ? undefined : opens === 'open');
      return;
    }
    const target = this.list.target(event.key);
    if (target === undefined) return;
    event.preventDefault();
    this.select(this.list.all[target]?.key);
    this.list.bringIntoView();
  }

  protected override isReady(): boolean {
    return this.hasRows;
  }

  protected override view(): TemplateResult {
    this.list.refresh();
    return html`${this.filters()}
      <div class="log-body">${this.rowsView()} ${this.detailsPane()}</div>`;
  }

  protected override drawn(): void {
    this.list.drawn(this.root);
  }

  private filters(): TemplateResult {
    const { rows, filter } = this.state;
    const shown = this.lines().rows;
    return filterBar(html`
      ${this.chooser(l10n.t('Hook'), 'hookPath', hooksOf(rows))}
      ${this.chooser(l10n.t('Event'), 'registeredAs', choicesOf(valuesOf(rows, 'registeredAs')))}
      ${this.chooser(l10n.t('Tool'), 'tool', choicesOf(valuesOf(rows, 'tool')))}
      ${this.chooser(l10n.t('Outcome'), 'outcome', outcomesOf(rows))}
      ${searchField({
        label: l10n.t('Text in the record'),
        placeholder: l10n.t('Text in payload or result'),
        value: filter.text,
        changed: text => this.filterBy({ text }),
      })}
      ${countView(
        shown === rows.length
          ? hookCalls(shown)
          : l10n.t('{0} of {1}', shown.toLocaleString(), rows.length.toLocaleString()),
      )}
      <button
        type="button"
        class="plain"
        ?disabled=${JSON.stringify(filter) === JSON.stringify(NO_FILTER)}
        @click=${() => this.filterBy(NO_FILTER)}
      >
        ${l10n.t('Show All')}
      </button>
      <button
        type="button"
        class="plain"
        title=${l10n.t('Repeat a recorded run with the hooks as they are now; nothing is executed')}
        @click=${() => this.bridge.send({ type: 'replay' })}
      >
        ${l10n.t('Replay…')}
      </button>
      <button
        type="button"
        class="plain"
        title=${l10n.t('Save as JSON lines, without secrets')}
        @click=${() => this.bridge.send({ type: 'export' })}
      >
        ${l10n.t('Export…')}
      </button>
      <button type="button" class="plain" @click=${() => this.bridge.send({ type: 'clear' })}>
        ${l10n.t('Clear')}
      </button>
    `);
  }

  private chooser(
    label: string,
    member: 'hookPath' | 'registeredAs' | 'tool' | 'outcome',
    known: readonly Choice<string>[],
  ): TemplateResult {
    const chosen = this.state.filter[member];
    const isKnown = chosen === '' || known.some(({ value }) => value === chosen);
    const all = { value: '', name: l10n.t('{0}: all', label) };
    const choices = [all, ...known, ...(isKnown ? [] : [{ value: chosen, name: chosen }])];
    return chooser(label, chosen, choices, value => this.filterBy({ [member]: value }));
  }

  private rowsView(): TemplateResult {
    if (this.list.all.length > 0) return this.list.view(l10n.t('Calls by turn, newest first'));
    const text =
      this.state.rows.length === 0
        ? l10n.t('No handler was called yet. Calls will be listed here.')
        : l10n.t('No entry matches the filter.');
    return html`<p class="nothing">${this.hasRows ? text : ''}</p>`;
  }

  private lineView(line: ListLine, { id, index, selected }: RowPlace): TemplateResult {
    const isOpen = line.type === 'row' ? undefined : line.isOpen;
    const clicked = (): void => {
      this.select(line.key);
      if (line.type === 'quiet') this.toggle(line);
    };
    return html`<div
      id=${id}
      class="row log-row level-${line.level} ${line.type}"
      role="treeitem"
      data-outcome=${outcomeOf(line)}
      data-key=${line.key}
      aria-level=${line.level}
      aria-expanded=${isOpen === undefined ? nothing : String(isOpen)}
      aria-selected=${selected}
      aria-setsize=${this.list.all.length}
      aria-posinset=${index + 1}
      @click=${clicked}
    >
      ${line.type === 'row' ? rowCells(line) : line.type === 'quiet' ? quietCells(line) : this.groupCells(line)}
    </div>`;
  }

  private groupCells(line: Extract<ListLine, { type: 'group' }>): TemplateResult {
    const { group, isOpen } = line;
    const { axis } = group;
    const toggled = (event: Event): void => {
      event.stopPropagation();
      this.toggle(line);
    };
    return html`<span class="log-time">${timeOf(axis.from)}</span>
      <span class="log-title"
        ><span class="log-twist" @click=${toggled}>${icon(isOpen ? 'chevron-down' : 'chevron-right')}</span
        >${visibleText(groupTitle(group))}</span
      >
      <span class="log-outcome">${visibleText(decisionText(group))}</span>
      ${timeBars(barsOfGroup(group), axis.total)}
      <span class="log-took">${duration(axis.total)}</span>`;
  }

  private detailsPane(): TemplateResult | string {
    const close = (): void => {
      this.select(undefined);
      this.list.focus();
    };
    const line = this.list.selectedRow;
    if (line?.type === 'group') return groupDetails(line.group, close);
    const row = this.state.rows.find(each => each.key === this.list.selectedKey);
    if (row === undefined) return '';
    return detailsView(row, this.details, { send: message => this.bridge.send(message), close });
  }
}

function outcomeOf(line: ListLine): string {
  if (line.type === 'quiet') return 'nothing';
  return line.type === 'row' ? line.row.outcome : (line.group.decision?.outcome ?? 'nothing');
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour12: false });
}

function rowCells({ row, axis, level }: Extract<ListLine, { type: 'row' }>): TemplateResult {
  // The group around a row names the agent.
  const hook = level === 1 ? withAgent(row.hook, row) : row.hook;
  const subject = row.tool === '' ? row.registeredAs : `${row.registeredAs} ${row.tool}`;
  return html`<span class="log-time ${row.earlier ? 'muted' : ''}">${timeOf(row.at)}</span>
    <span class="log-hook">${visibleText(hook)}</span>
    <span class="log-subject">${visibleText(subject)}</span>
    <span class="log-outcome"
      >${row.changed ? html`<span title=${l10n.t('changed something')}>± </span>` : ''}${visibleText(row.text)}</span
    >
    ${timeBars(barsOfRow(row, axis), axis.total)}
    <span class="log-took">${duration(row.ms - row.askedMs)}</span>`;
}

function quietCells({ rows, isOpen }: Extract<ListLine, { type: 'quiet' }>): TemplateResult {
  const took = rows.reduce((sum, { ms }) => sum + ms, 0);
  return html`<span class="log-time"></span>
    <span class="log-title muted"
      >${icon(isOpen ? 'chevron-down' : 'chevron-right')}
      ${rows.length === 1 ? l10n.t('1 hook call made no decision') : l10n.t('{0} hook calls without a decision', rows.length)}</span
    >
    <span class="log-outcome"></span><span class="time-bars"></span> <span class="log-took">${duration(took)}</span>`;
}

function hookCalls(count: number): string {
  return count === 1 ? l10n.t('1 hook call') : l10n.t('{0} hook calls', count.toLocaleString());
}

function choicesOf(values: readonly string[]): readonly Choice<string>[] {
  return values.map(value => ({ value, name: value }));
}

/** The outcomes of these rows, in the words of the rows. */
function outcomesOf(rows: readonly LogRow[]): readonly Choice<string>[] {
  const words: Readonly<Record<string, string>> = { nothing: 'no decision', modified: 'changed' };
  return valuesOf(rows, 'outcome').map(value => ({ value, name: words[value] ?? value }));
}
