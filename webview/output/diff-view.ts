import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { withLineFeeds } from '../../src/base/text/visible-text';
import { markedText } from '../marked-text';

/** How many lines of a diff are drawn. The diff editor shows the rest. */
const MOST_LINES = 400;
/** How many characters of one line are drawn. */
const LONGEST_LINE = 2_000;

export type DiffLineKind = 'added' | 'removed' | 'hunk' | 'file' | 'same';

/** The lines of a unified diff with their kinds. Lines before the first hunk may be a file header. */
export function diffLines(diff: string): { readonly kind: DiffLineKind; readonly text: string }[] {
  let inHunk = false;
  return withLineFeeds(diff)
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

/** The number of lines that a unified diff adds and removes. */
export function diffCounts(diff: string): { readonly added: number; readonly removed: number } {
  const kinds = diffLines(diff).map(({ kind }) => kind);
  return {
    added: kinds.filter(kind => kind === 'added').length,
    removed: kinds.filter(kind => kind === 'removed').length,
  };
}

/** Draws a unified diff. Added and removed lines differ by their sign, not only by color. */
export function diffView(diff: string): TemplateResult {
  const lines = diffLines(diff);
  const left = lines.length - MOST_LINES;
  // The style sheet shows each line as a block, because Prettier may change line breaks in the template.
  const shown = lines.slice(0, MOST_LINES).map(({ kind, text }) => {
    return html`<span class="diff-${kind}">${markedText(cut(text))}</span>`;
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
