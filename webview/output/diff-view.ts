import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { WebviewToHost } from '../../src/protocol/messages';
import { icon } from '../controls/controls';
import { emits } from '../controls/emit';
import { pathView } from '../controls/path';
import { visibleText } from '../../src/base/text/visible-text';
import { markedText } from '../marked-text';
import { changedWords, type LinePart } from './changed-words';
import { diffRows, type DiffFile, type DiffGap, type DiffLine, type DiffRow } from './diff-rows';

/** How much of a diff is drawn: lines, characters of one line, and characters of all lines. An editor shows the rest. */
const MOST_LINES = 400;
const LONGEST_LINE = 1_000;
const MOST_CHARACTERS = 60_000;
/** How many characters before the first difference are drawn of a longer line. */
const BEFORE_DIFFERENCE = 100;

/**
 * Draws a diff. Lines wrap, changed words are marked, and where there is little room, only one unchanged line is drawn
 * around a change. Added and removed lines differ by their sign, not only by color. `open` is the message that shows the
 * change in an editor; without one, a long diff opens as a text.
 */
export function diffView(diff: string, open?: WebviewToHost): TemplateResult {
  return html`${guard([diff, JSON.stringify(open)], () =>
    drawn(diff, open ?? { type: 'openText', text: diff, language: 'diff' }),
  )}`;
}

function drawn(diff: string, open: WebviewToHost): TemplateResult {
  const all = diffRows(diff);
  const rows = bounded(all);
  const left = all.length - rows.length;
  const isCut = left > 0 || rows.some(row => 'text' in row && row.text.length > LONGEST_LINE);
  const runs = runsOf(rows);
  const shown = runs.map((run, at) => RUN_VIEWS[run.type](run.rows, [runs[at - 1], runs[at + 1]]));
  return html`<pre class="diff" tabindex="0" role="region" aria-label=${l10n.t('Changes')}>${shown}</pre>
    ${isCut ? restView(left, open) : nothing}`;
}

function bounded(all: readonly DiffRow[]): readonly DiffRow[] {
  let characters = 0;
  const end = all.findIndex((row, at) => {
    if ('text' in row) characters += Math.min(row.text.length, LONGEST_LINE);
    return at >= MOST_LINES || (characters > MOST_CHARACTERS && at > 0);
  });
  return end < 0 ? all : all.slice(0, end);
}

function restView(lines: number, open: WebviewToHost): TemplateResult {
  const words =
    lines === 0
      ? l10n.t('Long lines are cut.')
      : lines === 1
        ? l10n.t('1 more line.')
        : l10n.t('{0} more lines.', lines);
  return html`<p class="diff-rest">
    ${words} <button type="button" class="link" @click=${emits(open)}>${l10n.t('Open in Editor')}</button>
  </p>`;
}

/** Rows that are drawn together: a change, all between two changes, or the name of a file. */
interface Run {
  readonly type: 'change' | 'context' | 'file';
  readonly rows: DiffRow[];
}

function runsOf(rows: readonly DiffRow[]): readonly Run[] {
  const runs: Run[] = [];
  for (const row of rows) {
    const type = runTypeOf(row);
    const last = runs.at(-1);
    const startsNext = row.kind === 'removed' && last?.rows.some(({ kind }) => kind === 'added') === true;
    if (last?.type === type && !startsNext) last.rows.push(row);
    else runs.push({ type, rows: [row] });
  }
  return runs;
}

function runTypeOf({ kind }: DiffRow): Run['type'] {
  if (kind === 'file') return 'file';
  return kind === 'same' || kind === 'gap' ? 'context' : 'change';
}

type RunView = (rows: readonly DiffRow[], beside: readonly [Run | undefined, Run | undefined]) => unknown;

const RUN_VIEWS: { readonly [T in Run['type']]: RunView } = {
  file: rows => rows.map(row => (row.kind === 'file' ? fileView(row) : nothing)),
  change: changeView,
  context: contextView,
};

function fileView({ path, was, change, isBinary }: DiffFile): TemplateResult {
  const words = {
    changed: undefined,
    created: l10n.t('created'),
    deleted: l10n.t('deleted'),
    renamed: was === undefined ? l10n.t('renamed') : l10n.t('renamed from {0}', visibleText(was)),
  }[change];
  const said = [...(words === undefined ? [] : [words]), ...(isBinary ? [l10n.t('binary file, not compared')] : [])];
  return html`<span class="diff-file" title=${visibleText(path)}
    >${icon('file')}
    ${pathView(path)}${said.length === 0 ? nothing : html` <span class="diff-said">${said.join(', ')}</span>`}</span
  >`;
}

function changeView(rows: readonly DiffRow[]): unknown {
  const of = (wanted: DiffLine['kind']): DiffLine[] => rows.filter((row): row is DiffLine => row.kind === wanted);
  const [removed, added] = [of('removed'), of('added')];
  const parts = new Map<DiffRow, readonly LinePart[]>();
  const shown = (line: DiffLine, other: DiffLine | undefined): string => cut(line.text, other?.text);
  const marked = changedWords(
    removed.map((line, at) => shown(line, added[at])),
    added.map((line, at) => shown(line, removed[at])),
  );
  removed.forEach((line, at) => parts.set(line, marked.removed[at] ?? []));
  added.forEach((line, at) => parts.set(line, marked.added[at] ?? []));
  return rows.map(row => {
    if (row.kind === 'noLineEnd') return html`<span class="diff-gap">${l10n.t('No line break at the end')}</span>`;
    return 'text' in row ? lineView(row, parts.get(row) ?? []) : nothing;
  });
}

/**
 * The drawn part of a line. A long line begins shortly before the first difference from the line that it replaces or that
 * replaces it.
 */
function cut(line: string, other = line): string {
  if (line.length <= LONGEST_LINE) return line;
  let start = 0;
  while (start < line.length && line[start] === other[start]) start += 1;
  start = start === line.length ? 0 : Math.max(0, start - BEFORE_DIFFERENCE);
  const end = start + LONGEST_LINE;
  // Halves of a pair at the ends would be shown as hidden characters.
  const part = line.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${part}${end < line.length ? '…' : ''}`;
}

const SIGNS = { added: '+', removed: '-', same: ' ' } as const;

function lineView({ kind, number }: DiffLine, parts: readonly LinePart[], isFar = false): TemplateResult {
  const words = { added: l10n.t('added'), removed: l10n.t('removed'), same: undefined }[kind];
  const text = parts.map(part =>
    part.isChanged ? html`<span class="diff-word">${markedText(part.text)}</span>` : markedText(part.text),
  );
  return html`<span class="diff-line diff-${kind} ${isFar ? 'diff-far' : ''}"
    ><span class="diff-number">${number}</span
    >${words === undefined ? html`<span class="diff-sign"></span>` : html`<span class="diff-sign" role="img" aria-label=${words}>${SIGNS[kind]}</span>`}<span
      class="diff-text"
      >${text}</span
    ></span
  >`;
}

/**
 * Unchanged lines. Where there is little room, the lines that are not next to a change are hidden, and a row says how many
 * are left out.
 */
function contextView(rows: readonly DiffRow[], [before, after]: readonly [Run | undefined, Run | undefined]): unknown {
  const isNear = (at: number): boolean =>
    (at === 0 && before?.type === 'change') || (at === rows.length - 1 && after?.type === 'change');
  const far = rows.filter((row, at) => row.kind === 'same' && !isNear(at));
  const gap = rows.find((row): row is DiffGap => row.kind === 'gap');
  // A row in place of one line would save nothing.
  const folds = far.length > 1 || (far.length > 0 && gap !== undefined);
  const foldAt = rows.findIndex(row => row === gap || far.includes(row));
  return rows.map((row, at) => [
    folds && at === foldAt ? gapView(leftOut(gap, far.length), 'diff-narrow') : nothing,
    row.kind === 'gap' ? gapView(row.lines, folds ? 'diff-wide' : '') : nothing,
    row.kind === 'same' ? lineView(row, [{ text: cut(row.text), isChanged: false }], folds && !isNear(at)) : nothing,
  ]);
}

function leftOut(gap: DiffGap | undefined, hidden: number): number | undefined {
  if (gap === undefined) return hidden;
  return gap.lines === undefined ? undefined : gap.lines + hidden;
}

function gapView(lines: number | undefined, where: 'diff-narrow' | 'diff-wide' | ''): TemplateResult {
  const words =
    lines === undefined
      ? l10n.t('unchanged lines')
      : lines === 1
        ? l10n.t('1 unchanged line')
        : l10n.t('{0} unchanged lines', lines);
  return html`<span class="diff-gap ${where}">⋯ ${words}</span>`;
}
