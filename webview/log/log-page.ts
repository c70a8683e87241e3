import * as l10n from '@vscode/l10n';
import { html, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { HostToLog, LogDetails, LogFilter, LogRow, LogToHost } from '../../src/protocol/log';
import type { Bridge } from '../bridge';
import { duration } from '../format';
import { visibleText } from '../visible-text';
import { detailsView } from './details-view';
import { hooksOf, NO_FILTER, shownRows, valuesOf, withRows, type LogState } from './rows';

/** Height of a row, in px; the style sheet says the same. */
const ROW_PX = 22;
/** Rows drawn above and below what is in view. */
const MARGIN = 20;
/** Typing pauses this long before the host is asked to search, ms. */
const SEARCH_MS = 200;

/** The page of the hook log: filters on top, dispatches newest first, and what one of them held. */
export class LogPage {
  private state: LogState;
  private shown: readonly LogRow[] = [];
  private selected: string | undefined;
  private details: LogDetails | undefined;
  private searching = 0;
  private drawing = 0;
  private ready = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly bridge: Bridge<HostToLog, LogToHost, LogFilter>,
  ) {
    this.state = { rows: [], filter: bridge.load() ?? NO_FILTER, found: undefined };
  }

  start(): void {
    window.addEventListener('resize', () => this.draw());
    this.bridge.onMessage(message => this.receive(message));
    this.bridge.send({ type: 'ready' });
    this.draw();
  }

  private receive(message: HostToLog): void {
    switch (message.type) {
      case 'rows':
        this.take(message.rows, message.replace);
        break;
      case 'details':
        if (message.details.key === this.selected) this.details = message.details;
        break;
      case 'found':
        this.state = { ...this.state, found: { text: message.text, keys: new Set(message.keys) } };
        break;
      case 'filter':
        this.filterBy(message.filter);
        break;
    }
    this.draw();
  }

  private take(rows: readonly LogRow[], replace: boolean): void {
    this.ready = true;
    const before = this.shown.length;
    this.state = withRows(this.state, rows, replace);
    if (this.state.filter.text !== '') this.search();
    this.shown = shownRows(this.state);
    const list = this.list();
    // What is being read stays where it is while newer rows come in above.
    if (list !== null && list.scrollTop > 0 && !replace) list.scrollTop += (this.shown.length - before) * ROW_PX;
  }

  private filterBy(change: Partial<LogFilter>): void {
    const filter = { ...this.state.filter, ...change };
    this.state = { ...this.state, filter };
    this.bridge.save(filter);
    if (change.text !== undefined) this.search();
    this.draw();
  }

  private search(): void {
    window.clearTimeout(this.searching);
    const { text } = this.state.filter;
    if (text.trim() === '') return;
    this.searching = window.setTimeout(() => this.bridge.send({ type: 'search', text }), SEARCH_MS);
  }

  private select(key: string | undefined): void {
    this.selected = key;
    this.details = undefined;
    if (key !== undefined) this.bridge.send({ type: 'select', key });
    this.draw();
  }

  private list(): HTMLElement | null {
    return this.root.querySelector<HTMLElement>('.log-rows');
  }

  private draw(): void {
    if (this.drawing !== 0) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.shown = shownRows(this.state);
      this.root.dataset['ready'] = String(this.ready);
      render(this.view(), this.root);
      this.place();
    });
  }

  /** Sizes are set from here because the page's policy forbids style attributes. */
  private place(): void {
    const list = this.list();
    const space = this.root.querySelector<HTMLElement>('.log-space');
    const window = this.root.querySelector<HTMLElement>('.log-window');
    if (list === null || space === null || window === null) return;
    space.style.height = `${this.shown.length * ROW_PX}px`;
    window.style.transform = `translateY(${this.first(list) * ROW_PX}px)`;
  }

  private first(list: HTMLElement | null): number {
    return Math.max(0, Math.floor((list?.scrollTop ?? 0) / ROW_PX) - MARGIN);
  }

  private view(): TemplateResult {
    const { rows } = this.state;
    const count =
      this.shown.length === rows.length
        ? dispatches(rows.length)
        : l10n.t('{0} of {1}', this.shown.length.toLocaleString(), rows.length.toLocaleString());
    return html`
      <form class="log-filters" role="search" @submit=${preventDefault}>
        ${this.chooser(l10n.t('Hook'), 'hookPath', hooksOf(rows))}
        ${this.chooser(l10n.t('Event'), 'registeredAs', plain(valuesOf(rows, 'registeredAs')))}
        ${this.chooser(l10n.t('Tool'), 'tool', plain(valuesOf(rows, 'tool')))}
        ${this.chooser(l10n.t('Outcome'), 'outcome', plain(valuesOf(rows, 'outcome')))}
        <input
          type="search"
          aria-label=${l10n.t('Text in the record')}
          placeholder=${l10n.t('Text in payload or result')}
          .value=${this.state.filter.text}
          @input=${(event: InputEvent) => {
            if (event.target instanceof HTMLInputElement) this.filterBy({ text: event.target.value });
          }}
        />
        <span class="log-count" role="status">${count}</span>
        <button
          type="button"
          class="plain"
          ?disabled=${JSON.stringify(this.state.filter) === JSON.stringify(NO_FILTER)}
          @click=${() => this.filterBy(NO_FILTER)}
        >
          ${l10n.t('Show all')}
        </button>
        ${this.replayButton()}
        <button
          type="button"
          class="plain"
          title=${l10n.t('Save as JSON lines, without secrets')}
          @click=${this.sends({ type: 'export' })}
        >
          ${l10n.t('Export…')}
        </button>
        <button type="button" class="plain" @click=${this.sends({ type: 'clear' })}>${l10n.t('Clear')}</button>
      </form>
      <div class="log-body">${this.rowsView()} ${this.detailsPane()}</div>
    `;
  }

  private rowsView(): TemplateResult {
    if (this.shown.length === 0) {
      const text =
        this.state.rows.length === 0
          ? l10n.t('No handler was called yet. Whatever hooks see from now on is listed here.')
          : l10n.t('No dispatch passes the filter.');
      return html`<p class="log-empty">${this.ready ? text : ''}</p>`;
    }
    const list = this.list();
    const first = this.first(list);
    const height = list?.clientHeight ?? 600;
    const visible = this.shown.slice(first, first + Math.ceil(height / ROW_PX) + 2 * MARGIN);
    const active = this.shown.findIndex(row => row.key === this.selected);
    return html`<div
      class="log-rows"
      role="listbox"
      tabindex="0"
      aria-label=${l10n.t('Dispatches, newest first')}
      aria-activedescendant=${active < 0 ? '' : `row-${active}`}
      @scroll=${() => this.draw()}
      @keydown=${(event: KeyboardEvent) => this.onKey(event, active)}
    >
      <div class="log-space">
        <div class="log-window">
          ${repeat(
            visible,
            // A row keeps its element: one that is about to be clicked never turns into another when newer ones come in.
            row => row.key,
            (row, place) => this.rowView(row, first + place),
          )}
        </div>
      </div>
    </div>`;
  }

  private rowView(row: LogRow, place: number): TemplateResult {
    const took = duration(row.ms - row.askedMs);
    const time = new Date(row.at).toLocaleTimeString([], { hour12: false });
    const subject = row.tool === '' ? row.registeredAs : `${row.registeredAs} ${row.tool}`;
    return html`<div
      id="row-${place}"
      class="log-row"
      role="option"
      data-outcome=${row.outcome}
      data-key=${row.key}
      aria-selected=${row.key === this.selected}
      aria-setsize=${this.shown.length}
      aria-posinset=${place + 1}
      @click=${() => this.select(row.key)}
    >
      <span class="log-time ${row.earlier ? 'muted' : ''}">${time}</span>
      <span class="log-hook">${visibleText(row.hook)}</span>
      <span class="log-subject">${visibleText(subject)}</span>
      <span class="log-outcome"
        >${row.changed ? html`<span title=${l10n.t('changed something')}>± </span>` : ''}${visibleText(row.text)}</span
      >
      <span class="log-took">${took}</span>
    </div>`;
  }

  private onKey(event: KeyboardEvent, active: number): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
    const step = steps[event.key];
    const wanted =
      step !== undefined
        ? active + step
        : event.key === 'Home'
          ? 0
          : event.key === 'End'
            ? this.shown.length - 1
            : undefined;
    if (event.key === 'Escape') this.select(undefined);
    if (wanted === undefined) return;
    event.preventDefault();
    const place = Math.min(this.shown.length - 1, Math.max(0, wanted));
    const list = this.list();
    if (list !== null) {
      const top = place * ROW_PX;
      if (top < list.scrollTop) list.scrollTop = top;
      if (top + ROW_PX > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW_PX - list.clientHeight;
    }
    this.select(this.shown[place]?.key);
  }

  private detailsPane(): TemplateResult | string {
    const row = this.state.rows.find(each => each.key === this.selected);
    if (row === undefined) return '';
    return detailsView(row, this.details, {
      send: message => this.bridge.send(message),
      close: () => this.select(undefined),
    });
  }

  private chooser(
    label: string,
    member: 'hookPath' | 'registeredAs' | 'tool' | 'outcome',
    options: readonly { readonly path: string; readonly name: string }[],
  ): TemplateResult {
    const chosen = this.state.filter[member];
    const known = chosen === '' || options.some(({ path }) => path === chosen);
    const all = known ? options : [...options, { path: chosen, name: chosen }];
    return html`<select
      aria-label=${label}
      @change=${(event: Event) => {
        if (event.target instanceof HTMLSelectElement) this.filterBy({ [member]: event.target.value });
      }}
    >
      <option value="" ?selected=${chosen === ''}>${l10n.t('{0}: all', label)}</option>
      ${all.map(({ path, name }) => html`<option value=${path} ?selected=${path === chosen}>${visibleText(name)}</option>`)}
    </select>`;
  }

  private replayButton(): TemplateResult {
    return html`<button
      type="button"
      class="plain"
      title=${l10n.t('Repeat a recorded run with the hooks as they are now; nothing is executed')}
      @click=${this.sends({ type: 'replay' })}
    >
      ${l10n.t('Replay…')}
    </button>`;
  }

  private sends(message: LogToHost): () => void {
    return () => this.bridge.send(message);
  }
}

function dispatches(count: number): string {
  return count === 1 ? l10n.t('1 dispatch') : l10n.t('{0} dispatches', count.toLocaleString());
}

function plain(values: readonly string[]): readonly { readonly path: string; readonly name: string }[] {
  return values.map(value => ({ path: value, name: value }));
}

function preventDefault(event: Event): void {
  event.preventDefault();
}
