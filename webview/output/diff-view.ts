import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { visibleText } from '../visible-text';

/** Lines of a diff that are drawn; the diff editor shows the rest. */
const MOST_LINES = 400;
/** Characters of one line that are drawn. */
const LONGEST_LINE = 2_000;

export type DiffLineKind = 'added' | 'removed' | 'hunk' | 'file' | 'same';

/** What a line of a unified diff is, by its first characters; a file header ends at the first hunk. */
export function diffLines(diff: string): { readonly kind: DiffLineKind; readonly text: string }[] {
  let inHunk = false;
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map(text => {
      inHunk ||= text.startsWith('@@');
      return { kind: kindOf(text, inHunk), text };
    });
}

function kindOf(text: string, inHunk: boolean): DiffLineKind {
  if (text.startsWith('@@')) return 'hunk';
  if (!inHunk && /^(---|\+\+\+|diff |index )/.test(text)) return 'file';
  if (text.startsWith('+')) return 'added';
  return text.startsWith('-') ? 'removed' : 'same';
}

/** How many lines a diff adds and removes. */
export function diffCounts(diff: string): { readonly added: number; readonly removed: number } {
  const kinds = diffLines(diff).map(({ kind }) => kind);
  return {
    added: kinds.filter(kind => kind === 'added').length,
    removed: kinds.filter(kind => kind === 'removed').length,
  };
}

/** A unified diff, line by line; added and removed lines differ by sign and name, not only by colour. */
export function diffView(diff: string): TemplateResult {
  const lines = diffLines(diff);
  const left = lines.length - MOST_LINES;
  // Prettier reformats templates, so line breaks come from the layout: each line is a block of its own.
  const shown = lines.slice(0, MOST_LINES).map(({ kind, text }) => {
    return html`<span class="diff-${kind}">${visibleText(cut(text))}</span>`;
  });
  return html`<pre class="diff" tabindex="0" role="region" aria-label=${l10n.t('Changes')}>${shown}</pre>
    ${left > 0 ? html`<p class="muted">${moreLines(left)}</p>` : ''}`;
}

function moreLines(left: number): string {
  return left === 1 ? l10n.t('1 more line in the diff editor') : l10n.t('{0} more lines in the diff editor', left);
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
