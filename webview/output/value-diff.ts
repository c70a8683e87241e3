import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { visibleText } from '../../src/base/text/visible-text';
import { diffArrays } from 'diff';

/** One line of a diff. */
interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** With more edits than this, all lines between the equal beginning and end count as removed and added. */
const MAX_EDITS = 1_000;
/** How many equal lines are shown around a change. */
const AROUND = 3;

/** The line diff of two texts. Equal lines far from any change are replaced by a line with their number. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const middle = compare(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return folded([...lines('same', a.slice(0, head)), ...middle, ...lines('same', a.slice(a.length - tail))]);
}

function compare(a: string[], b: string[]): readonly DiffLine[] {
  const changes = diffArrays(a, b, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return [...lines('removed', a), ...lines('added', b)];
  return changes.flatMap(({ added, removed, value }) => lines(kindOf(added, removed), value));
}

function kindOf(added: boolean, removed: boolean): DiffLine['kind'] {
  if (added) return 'added';
  return removed ? 'removed' : 'same';
}

function lines(kind: DiffLine['kind'], texts: readonly string[]): readonly DiffLine[] {
  return texts.map(text => ({ kind, text }));
}

function folded(all: readonly DiffLine[]): readonly DiffLine[] {
  const changes = all.flatMap(({ kind }, place) => (kind === 'same' ? [] : [place]));
  const isNear = (place: number): boolean => changes.some(change => Math.abs(change - place) <= AROUND);
  const result: DiffLine[] = [];
  let left = 0;
  const showRemaining = (): void => {
    if (left > 0) {
      result.push({ kind: 'same', text: left === 1 ? l10n.t('⋯ 1 same line') : l10n.t('⋯ {0} same lines', left) });
    }
    left = 0;
  };
  all.forEach((line, place) => {
    if (!isNear(place)) {
      left += 1;
      return;
    }
    showRemaining();
    result.push(line);
  });
  showRemaining();
  return result;
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

/** Draws the line diff of two JSON values. The text `absent` stands for a value that is undefined. */
export function valueDiff(before: unknown, after: unknown, absent = ''): TemplateResult {
  const lines = lineDiff(textOf(before, absent), textOf(after, absent));
  return html`<pre class="value-diff" tabindex="0" role="region" aria-label=${l10n.t('Before and after')}>
${lines.map(({ kind, text }) => html`<span class="diff-${kind}">${SIGNS[kind]} ${visibleText(text)}</span>`)}</pre>`;
}

/** The value as JSON. Escaped line breaks in strings become real ones, so that long strings are compared line by line. */
function textOf(value: unknown, absent: string): string {
  if (value === undefined) return absent;
  return JSON.stringify(value, undefined, 2).replaceAll('\\n', '\n');
}
