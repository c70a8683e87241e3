import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type {
  HostToReplay,
  ReplayHandlerRow,
  ReplayRow,
  ReplayRowStatus,
  ReplayToHost,
  ReplayView,
} from '../../src/protocol/pages/replay';
import { EditorPage } from '../editor-page/editor-page';
import { baseName, fillPlaceholders, place } from '../format';
import { valueDiff } from '../output/value-diff';
import { visibleText } from '../../src/base/text/visible-text';

/** The state of the page. */
interface ReplayState {
  readonly report: ReplayView | undefined;
  readonly progress: { readonly done: number; readonly all: number } | undefined;
  /** Why the last replay ended without a result; undefined when it did not. */
  readonly failure: string | undefined;
  /** Rows with these statuses are listed. */
  readonly shown: ReadonlySet<ReplayRowStatus>;
  /** At most this many rows are drawn; the user can ask for more. */
  readonly most: number;
}

const PAGE_SIZE = 200;

export const START: ReplayState = {
  report: undefined,
  progress: undefined,
  failure: undefined,
  shown: new Set(['changed', 'unsure']),
  most: PAGE_SIZE,
};

/** Before the hooks are loaded, nobody knows how many events there are. */
const NO_PROGRESS = { done: 0, all: 0 };

/** The statuses in order of importance. */
const STATUSES: readonly ReplayRowStatus[] = ['changed', 'unsure', 'same', 'skipped'];

/** The state after a message of the host. */
export function received(state: ReplayState, message: HostToReplay): ReplayState {
  switch (message.type) {
    case 'begun':
      return {
        ...(message.again ? state : { ...START, shown: state.shown }),
        progress: NO_PROGRESS,
        failure: undefined,
      };
    case 'progress':
      return { ...state, progress: { done: message.done, all: message.all }, failure: undefined };
    case 'report':
      return { ...state, report: message.report, progress: undefined, failure: undefined, most: PAGE_SIZE };
    case 'failed':
      return { ...state, progress: undefined, failure: message.message };
  }
}

/** The state after the user switched whether rows of a status are listed. */
export function toggled(state: ReplayState, status: ReplayRowStatus): ReplayState {
  const shown = new Set(state.shown);
  if (!shown.delete(status)) shown.add(status);
  return { ...state, shown, most: PAGE_SIZE };
}

/** The state with one more page of rows. */
export function withMore(state: ReplayState): ReplayState {
  return { ...state, most: state.most + PAGE_SIZE };
}

/** The rows that are listed, in the order of the recording. */
export function listed({ report, shown }: ReplayState): readonly ReplayRow[] {
  return report?.rows.filter(row => shown.has(row.status)) ?? [];
}

/** The number of rows with a status. */
export function countOf({ report }: ReplayState, status: ReplayRowStatus): number {
  return report?.rows.filter(row => row.status === status).length ?? 0;
}

/** How many rows are open at first. */
const OPEN_ROWS = 10;

function isNews({ status }: ReplayRow): boolean {
  return status === 'changed' || status === 'unsure';
}

/** The page of a replay: how many verdicts changed, and each verdict before and after. */
export class ReplayPage extends EditorPage<HostToReplay, ReplayToHost> {
  private state: ReplayState = START;

  protected override receive(message: HostToReplay): void {
    this.state = received(this.state, message);
  }

  private become(state: ReplayState): void {
    this.state = state;
    this.draw();
  }

  protected override isReady(): boolean {
    const { report, progress, failure } = this.state;
    return (report !== undefined || failure !== undefined) && progress === undefined;
  }

  protected override view(): TemplateResult {
    const { report, progress, failure } = this.state;
    const rows = listed(this.state);
    const drawn = rows.slice(0, this.state.most);
    const open = new Set(report?.rows.filter(isNews).slice(0, OPEN_ROWS));
    return html`
      <header class="replay-head">
        <h1>${l10n.t('Replay')}</h1>
        <span class="muted">${visibleText(report?.source ?? '')}</span>
        <span
          class="replay-note"
          title=${l10n.t('This is not a sandbox: packages of a hook and code made from text are not restricted.')}
          >${l10n.t('No tool ran, and the hooks could not write files, start processes or use the network.')}</span
        >
        <button
          type="button"
          class="plain"
          ?disabled=${!this.isReady()}
          @click=${() => this.bridge.send({ type: 'again' })}
        >
          ${l10n.t('Replay Again')}
        </button>
      </header>
      <div class="replay-counts" role="group" aria-label=${l10n.t('Show')}>
        ${STATUSES.map(status => this.counter(status))}
      </div>
      ${
        progress === undefined
          ? ''
          : html`<p role="status" class="replay-progress">
              ${progress.all === 0 ? l10n.t('Loading the hooks…') : l10n.t('{0} of {1} events', progress.done, progress.all)}
              <progress
                aria-hidden="true"
                max=${progress.all === 0 ? nothing : progress.all}
                value=${progress.all === 0 ? nothing : progress.done}
              ></progress>
            </p>`
      }
      ${failure === undefined ? '' : failureView(failure)}
      ${(report?.missing ?? []).map(
        name => html`<p class="replay-missing">${l10n.t('Recorded, but not loaded now: {0}', name)}</p>`,
      )}
      <div class="replay-rows" role="list">
        ${repeat(
          drawn,
          // A row keeps its element, and stays open or closed, when other rows are listed.
          ({ key }) => key,
          row => this.rowView(row, open.has(row)),
        )}
      </div>
      ${report !== undefined && rows.length === 0 ? html`<p class="replay-empty" role="status">${this.emptyText()}</p>` : ''}
      ${
        rows.length > drawn.length
          ? html`<button type="button" class="plain" @click=${() => this.become(withMore(this.state))}>
              ${l10n.t('Show More ({0} left)', rows.length - drawn.length)}
            </button>`
          : ''
      }
    `;
  }

  private emptyText(): string {
    const changed = countOf(this.state, 'changed') + countOf(this.state, 'unsure');
    return changed === 0 ? l10n.t('No verdict changed.') : l10n.t('No event matches the filter.');
  }

  private counter(status: ReplayRowStatus): TemplateResult {
    return html`<button
      type="button"
      class="plain replay-counter"
      data-status=${status}
      aria-pressed=${this.state.shown.has(status)}
      @click=${() => this.become(toggled(this.state, status))}
    >
      <strong>${countOf(this.state, status)}</strong> ${statusText(status)}
    </button>`;
  }

  private rowView(row: ReplayRow, isOpen: boolean): TemplateResult {
    return html`<details
      role="listitem"
      class="replay-row"
      data-status=${row.status}
      data-key=${row.key}
      ?open=${isOpen}
    >
      <summary>
        <span class="replay-status">${statusText(row.status)}</span>
        <span class="replay-subject">${visibleText(row.subject)}</span>
        <code class="replay-brief">${visibleText(row.brief)}</code>
        <span class="replay-verdict">${this.verdictView(row)}</span>
      </summary>
      <div class="replay-handlers">
        ${row.why === undefined ? '' : html`<p class="muted">${visibleText(row.why)}</p>`}
        ${row.handlers.map(handler => this.handlerView(handler))}
      </div>
    </details>`;
  }

  private verdictView({ status, before, after }: Pick<ReplayRow, 'status' | 'before' | 'after'>): TemplateResult {
    if (status === 'skipped') return html``;
    if (status === 'same') return html`${visibleText(before)}`;
    return html`<del>${visibleText(before)}</del> <span aria-hidden="true">→</span> <ins>${visibleText(after)}</ins>`;
  }

  private handlerView(handler: ReplayHandlerRow): TemplateResult {
    const { file, line, registeredAs, notes, status, beforeValue, afterValue } = handler;
    const at = { path: file, line };
    return html`<section class="replay-handler" data-status=${status}>
      <p>
        <button type="button" class="link" @click=${() => this.bridge.send({ type: 'openFile', ...at })}>
          ${visibleText(place(baseName(file), line))}
        </button>
        <span class="muted">${visibleText(registeredAs)}</span>
        <span class="replay-verdict">${this.verdictView(handler)}</span>
      </p>
      ${notes.map(note => html`<p class="replay-note">${l10n.t('Not certain: {0}.', visibleText(note))}</p>`)}
      ${status === 'same' ? '' : (this.thrownView(handler) ?? valueDiff(beforeValue, afterValue, l10n.t('not asked')))}
    </section>`;
  }

  /** What the handler throws now and where, in a sentence; how it came there is folded. */
  private thrownView({ file, thrown }: ReplayHandlerRow): TemplateResult | undefined {
    if (thrown === undefined) return undefined;
    const { message, line, stack } = thrown;
    const at = html`<button
      type="button"
      class="link"
      @click=${() => this.bridge.send({ type: 'openFile', path: file, line })}
    >
      ${visibleText(place(baseName(file), line))}
    </button>`;
    return html`<p class="replay-thrown">
        ${fillPlaceholders(l10n.t('It fails at {0}: {1}'), at, html`<strong>${visibleText(message)}</strong>`)}
      </p>
      ${stack === undefined ? '' : foldedText(l10n.t('Stack'), stack)}`;
  }
}

/** Why there is no result: the first line, with the rest folded. */
function failureView(failure: string): TemplateResult {
  const [first = '', ...more] = failure.split('\n');
  return html`<p role="alert" class="replay-missing">${visibleText(first)}</p>
    ${more.length === 0 ? '' : foldedText(l10n.t('Details'), more.join('\n'))}`;
}

function foldedText(title: string, text: string): TemplateResult {
  return html`<details class="replay-more">
    <summary>${title}</summary>
    <pre tabindex="0">${visibleText(text)}</pre>
  </details>`;
}

/** A phrase for the status of a row. */
function statusText(status: ReplayRowStatus): string {
  switch (status) {
    case 'same':
      return l10n.t('as recorded');
    case 'changed':
      return l10n.t('changed');
    case 'unsure':
      return l10n.t('not certain');
    case 'skipped':
      return l10n.t('not repeatable');
  }
}
