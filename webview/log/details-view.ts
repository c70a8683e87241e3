import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { LogDetails, LogRow, LogToHost } from '../../src/protocol/pages/log';
import { baseName, duration, place } from '../format';
import { valueDiff } from '../output/value-diff';
import { withAgent } from './group-view';
import { visibleText } from '../../src/base/text/visible-text';

/** How many levels of data are open at first. */
const OPEN_LEVELS = 2;
const LONG_TEXT = 200;

/** What the details can do. */
export interface DetailsActions {
  readonly send: (message: LogToHost) => void;
  readonly close: () => void;
}

/** The details of one call of a handler: its payload, what it returned, what it changed and what it asked. */
export function detailsView(row: LogRow, details: LogDetails | undefined, actions: DetailsActions): TemplateResult {
  return html`<section class="log-details" aria-label=${l10n.t('Dispatch')}>
    <header>
      <h2>${visibleText(withAgent(`${row.registeredAs} ${row.tool}`.trim(), row))}</h2>
      <span class="log-actions">
        <button
          type="button"
          class="plain"
          title=${l10n.t('Write a mocha test that expects this verdict of the hook')}
          @click=${() => actions.send({ type: 'makeTest', key: row.key })}
        >
          ${l10n.t('Make Test…')}
        </button>
        <button type="button" class="plain" @click=${() => actions.send({ type: 'copy', key: row.key })}>
          ${l10n.t('Copy')}
        </button>
        <button type="button" class="plain" aria-label=${l10n.t('Close the details')} @click=${actions.close}>✕</button>
      </span>
    </header>
    <p class="log-verdict" data-outcome=${row.outcome}>${visibleText(row.text)}</p>
    <p class="muted">${facts(row)}</p>
    ${details === undefined ? html`<p class="muted">${l10n.t('Loading…')}</p>` : parts(details, actions)}
  </section>`;
}

function facts(row: LogRow): string {
  const asked = row.askedMs > 0 ? l10n.t(', and {0} waiting for you', duration(row.askedMs)) : '';
  const event = row.event === row.registeredAs ? '' : l10n.t(' · event {0}', row.event);
  return `${new Date(row.at).toLocaleString([], { hour12: false })} · ${duration(row.ms - row.askedMs)}${asked}${event}`;
}

function parts(details: LogDetails, { send }: DetailsActions): TemplateResult {
  const { file, line, changes, payload, returned, stack, dialogs, capped } = details;
  const at = { path: file, line };
  return html`
    <p>
      <button type="button" class="link" @click=${() => send({ type: 'openFile', ...at })}>
        ${visibleText(place(baseName(file), line))}
      </button>
    </p>
    ${capped ? html`<p class="log-note">${l10n.t('Parts that are too long were left out of the record.')}</p>` : ''}
    ${
      stack === undefined
        ? ''
        : html`<h3>${l10n.t('Stack')}</h3>
            <pre class="json-text" tabindex="0">${visibleText(stack)}</pre>`
    }
    ${dialogs.length === 0 ? '' : asked(dialogs)}
    ${changes.map(
      change =>
        html`<h3>${l10n.t('Changed: {0}', visibleText(change.member))}</h3>
          ${diff(change.before, change.after)}`,
    )}
    <h3>${l10n.t('Payload')}</h3>
    ${payload === undefined ? html`<p class="muted">${l10n.t('none')}</p>` : jsonView(payload)}
    <h3>${l10n.t('Returned')}</h3>
    ${returned === undefined ? html`<p class="muted">${l10n.t('nothing')}</p>` : jsonView(returned)}
  `;
}

/** The questions of the handler with the user's answers. */
function asked(dialogs: LogDetails['dialogs']): TemplateResult {
  return html`<h3>${l10n.t('Asked')}</h3>
    <dl class="log-asked">
      ${dialogs.map(
        ({ kind, title, answer }) =>
          html`<dt>${visibleText(title === '' ? kind : title)}</dt>
            <dd>${answer === undefined ? l10n.t('canceled') : visibleText(answerText(answer))}</dd>`,
      )}
    </dl>`;
}

function answerText(answer: unknown): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

function diff(before: unknown, after: unknown): TemplateResult {
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return html`<p class="log-note">
      ${l10n.t('The log does not show the change, because it is redacted or too large.')}
    </p>`;
  }
  return valueDiff(before, after);
}

/** Shows JSON data; levels from `OPEN_LEVELS` on are folded. */
function jsonView(value: unknown, name = '', level = 0): TemplateResult {
  const label = name === '' ? '' : html`<span class="json-name">${visibleText(name)}</span>: `;
  if (typeof value === 'string' && (value.length > LONG_TEXT || value.includes('\n'))) return longText(label, value);
  if (typeof value !== 'object' || value === null) {
    return html`<div class="json-line">
      ${label}<span class="json-${value === null ? 'null' : typeof value}">${visibleText(scalar(value))}</span>
    </div>`;
  }
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const brackets = isList ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) return html`<div class="json-line">${label}${isList ? '[]' : '{}'}</div>`;
  return html`<details ?open=${level < OPEN_LEVELS}>
    <summary>${label}<span class="muted">${brackets}</span></summary>
    <div class="json-members">${entries.map(([key, member]) => jsonView(member, key, level + 1))}</div>
  </details>`;
}

function longText(label: TemplateResult | string, value: string): TemplateResult {
  const lines = value.split('\n').length;
  const size = lines > 1 ? l10n.t('{0} lines', lines) : l10n.t('{0} characters', value.length);
  return html`<details>
    <summary>${label}<span class="muted">${size}</span> ${visibleText(value.slice(0, 60))}…</summary>
    <pre class="json-text">${visibleText(value)}</pre>
  </details>`;
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
