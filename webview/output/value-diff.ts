import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { visibleText } from '../visible-text';
import { lineDiff } from './line-diff';

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

/** What became of a JSON value, line by line; of one that is not there, `absent` stands in its place. */
export function valueDiff(before: unknown, after: unknown, absent = ''): TemplateResult {
  const lines = lineDiff(textOf(before, absent), textOf(after, absent));
  return html`<pre class="value-diff" tabindex="0" role="region" aria-label=${l10n.t('Before and after')}>
${lines.map(({ kind, text }) => html`<span class="diff-${kind}">${SIGNS[kind]} ${visibleText(text)}</span>`)}</pre>`;
}

/** Escaped line breaks inside of texts are drawn as such, so that changes in long texts show line by line. */
function textOf(value: unknown, absent: string): string {
  if (value === undefined) return absent;
  return JSON.stringify(value, undefined, 2).replaceAll('\\n', '\n');
}
