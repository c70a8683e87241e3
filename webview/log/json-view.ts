import { html, type TemplateResult } from 'lit';
import { visibleText } from '../visible-text';

/** Levels that are open at first. */
const OPEN_LEVELS = 2;
const LONG_TEXT = 200;

/** Plain data, folded below the second level. */
export function jsonView(value: unknown, name = '', level = 0): TemplateResult {
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
  const size = lines > 1 ? `${lines} lines` : `${value.length} characters`;
  return html`<details>
    <summary>${label}<span class="muted">${size}</span> ${visibleText(value.slice(0, 60))}…</summary>
    <pre class="json-text">${visibleText(value)}</pre>
  </details>`;
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
