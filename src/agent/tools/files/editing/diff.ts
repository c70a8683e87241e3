import { diffArrays, FILE_HEADERS_ONLY, formatPatch, type StructuredPatch } from 'diff';

/** A difference as `edit` shows it, and where an editor should jump to (1-based, in the new text). */
export interface TextDiff {
  readonly diff: string;
  readonly firstChangedLine: number | undefined;
}

/** Replacing `[start, end)` of a text by `inserted`. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly inserted: string;
}

interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  /** 1-based; of the old text for context and removed lines, of the new one for added lines. */
  readonly number: number;
  readonly text: string;
}

/** The unchanged head and tail of two texts, cut at line borders. */
interface Frame {
  readonly head: number;
  readonly beforeEnd: number;
  readonly afterEnd: number;
}

/** Where two texts are parts of larger ones that are equal outside of them: whole lines before and after. */
interface DiffPlace {
  /** Lines before them in the old and in the new text. */
  readonly linesBefore: { readonly old: number; readonly new: number };
  readonly hasTextAfter: boolean;
}

/** Lines of a difference; undefined stands for lines that are left out. */
type DiffLines = readonly (DiffLine | undefined)[];

const CONTEXT_LINES = 4;
/** Lines that differ in a changed region, at most; a region with more is shown as wholly removed and added. */
const MAX_EDITS = 1_000;
const COMPARE_STEP = 4096;

/**
 * Line by line difference with line numbers: `-12 old`, `+12 new`, ` 11 context`, ` ...` for what is left out. The
 * cost depends on the changed region: equal heads and tails are skipped without splitting them.
 */
export function diffTexts(before: string, after: string, contextLines = CONTEXT_LINES): TextDiff {
  const lines = diffPart(before, after, contextLines, { linesBefore: { old: 0, new: 0 }, hasTextAfter: false });
  return shown(lines, Math.max(countLineEnds(before, 0, before.length), countLineEnds(after, 0, after.length)) + 1);
}

/** What several replacements in a text change: as {@link diffTexts} shows it, and as a unified patch. */
export interface ReplacementDiff extends TextDiff {
  readonly patch: string;
}

/**
 * {@link diffTexts} of a text and the same text after replacements, which are in order and do not overlap, at a cost
 * that does not grow with the text. `countLines` gives the number of line ends in a part of the text; `path` is the name
 * in the patch.
 */
export function diffReplacements(
  text: string,
  replacements: readonly Replacement[],
  { path, countLines }: { readonly path: string; readonly countLines: (from: number, to: number) => number },
): ReplacementDiff {
  const lines: (DiffLine | undefined)[] = [];
  let counted = 0;
  let old = 0;
  let added = 0;
  for (const { from, to, parts } of windowsAround(text, replacements)) {
    old += countLines(counted, from);
    counted = from;
    const before = text.slice(from, to);
    const after = replaced(text, { from, to, parts });
    const place = { linesBefore: { old, new: old + added }, hasTextAfter: to < text.length };
    const part = diffPart(before, after, CONTEXT_LINES, place);
    lines.push(...(part[0] === undefined && lines.length > 0 && lines.at(-1) === undefined ? part.slice(1) : part));
    added += countLineEnds(after, 0, after.length) - countLineEnds(before, 0, before.length);
  }
  const total = old + countLines(counted, text.length) + 1;
  return { ...shown(lines, Math.max(total, total + added)), patch: patchOf(path, lines) };
}

/** Number of the first line that differs, from 1; of equal texts, 1. */
export function firstDifferentLine(before: string, after: string): number {
  return before === after ? 1 : countLineEnds(before, 0, commonFrame(before, after).head) + 1;
}

/** Which whole lines of a text to replace to get another one, in order; none where the texts are equal. */
export function lineReplacements(before: string, after: string): Replacement[] {
  if (before === after) return [];
  const frame = commonFrame(before, after);
  const oldLines = splitLines(before.slice(frame.head, frame.beforeEnd));
  const newLines = splitLines(after.slice(frame.head, frame.afterEnd));
  const replacements: Replacement[] = [];
  let at = frame.head;
  for (const { added, removed, value } of changedRuns(oldLines, newLines)) {
    const text = value.join('');
    const last = replacements.at(-1);
    // What is removed comes directly before what is added in its place.
    if (added && last?.end === at) replacements[replacements.length - 1] = { ...last, inserted: last.inserted + text };
    else if (added) replacements.push({ start: at, end: at, inserted: text });
    else if (removed) replacements.push({ start: at, end: at + text.length, inserted: '' });
    if (!added) at += text.length;
  }
  return replacements;
}

/** A part of a text, whole lines, with the replacements in it. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly parts: readonly Replacement[];
}

/** The surroundings of replacements; those that meet are one. */
function windowsAround(text: string, replacements: readonly Replacement[]): Window[] {
  const windows: Window[] = [];
  for (const replacement of replacements) {
    const from = backByLines(text, replacement.start, CONTEXT_LINES + 1);
    const to = onByLines(text, replacement.end, CONTEXT_LINES + 1);
    const last = windows.at(-1);
    if (last === undefined || last.to < from) windows.push({ from, to, parts: [replacement] });
    else windows[windows.length - 1] = { from: last.from, to, parts: [...last.parts, replacement] };
  }
  return windows;
}

/** A part of a text after the replacements in it, which are in order. */
export function replaced(text: string, { from, to, parts }: Window): string {
  let after = '';
  let at = from;
  for (const { start, end, inserted } of parts) {
    after += text.slice(at, start) + inserted;
    at = end;
  }
  return after + text.slice(at, to);
}

function diffPart(before: string, after: string, contextLines: number, place: DiffPlace): DiffLines {
  if (before === after) return [];
  const frame = commonFrame(before, after);
  const head = countLineEnds(before, 0, frame.head) + 1;
  const first = { old: place.linesBefore.old + head, new: place.linesBefore.new + head };
  const oldLines = splitLines(before.slice(frame.head, frame.beforeEnd));
  const newLines = splitLines(after.slice(frame.head, frame.afterEnd));
  const changes = compareLines(oldLines, newLines, first);
  const lead = lastLinesOf(before, frame.head, contextLines);
  const trail = firstLinesOf(before, frame.beforeEnd, contextLines);
  return [
    ...(first.old - 1 > lead.length ? [undefined] : []),
    ...context(lead, first.old - lead.length),
    ...elide(changes, contextLines),
    ...context(trail.lines, first.old + oldLines.length),
    ...(trail.hasMore || place.hasTextAfter ? [undefined] : []),
  ];
}

/** The lines as text; `total` is the number of lines of the longer text. */
function shown(lines: DiffLines, total: number): TextDiff {
  const width = String(total).length;
  return { diff: lines.map(line => render(line, width)).join('\n'), firstChangedLine: firstChangeIn(lines) };
}

/** Number in the new text of the first line that differs. */
function firstChangeIn(lines: DiffLines): number | undefined {
  const first = lines.find(line => line !== undefined && line.sign !== ' ');
  // Up to the first change both texts have the same numbers.
  return first?.number;
}

/** The lines as a unified patch, a hunk for each run that nothing is left out of. */
function patchOf(path: string, lines: DiffLines): string {
  const hunks: Hunk[] = [];
  let run: DiffLine[] = [];
  let shift = 0;
  for (const line of [...lines, undefined]) {
    if (line !== undefined) {
      run.push(line);
      continue;
    }
    const hunk = hunkOf(run, shift);
    if (hunk !== undefined) hunks.push(hunk);
    shift += run.reduce((sum, { sign }) => sum + (sign === '+' ? 1 : sign === '-' ? -1 : 0), 0);
    run = [];
  }
  const names = { oldFileName: path, newFileName: path, oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...names, hunks }, FILE_HEADERS_ONLY);
}

type Hunk = StructuredPatch['hunks'][number];

/** `shift`: by how much the numbers of the new text are ahead before the hunk. */
function hunkOf(run: readonly DiffLine[], shift: number): Hunk | undefined {
  const [first] = run;
  if (first === undefined) return undefined;
  const oldStart = first.sign === '+' ? first.number - shift : first.number;
  return {
    oldStart,
    oldLines: run.filter(({ sign }) => sign !== '+').length,
    newStart: oldStart + shift,
    newLines: run.filter(({ sign }) => sign !== '-').length,
    lines: run.flatMap(({ sign, text }) => {
      const line = sign + withoutLineEnd(text);
      return text.endsWith('\n') ? [line] : [line, '\\ No newline at end of file'];
    }),
  };
}

/** The start of the line that is some lines before the position. At least 1; 1 is its own line. */
export function backByLines(text: string, position: number, lines: number): number {
  let at = position;
  for (let i = 0; i < lines; i++) {
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

/** The end of the line that is some lines after the position. `0` lines: the position itself. */
export function onByLines(text: string, position: number, lines: number): number {
  let at = position;
  for (let i = 0; i < lines && at < text.length; i++) {
    const newline = text.indexOf('\n', at);
    at = newline === -1 ? text.length : newline + 1;
  }
  return at;
}

function render(line: DiffLine | undefined, width: number): string {
  if (line === undefined) return ` ${' '.repeat(width)} ...`;
  return `${line.sign}${String(line.number).padStart(width)} ${withoutLineEnd(line.text)}`;
}

function withoutLineEnd(line: string): string {
  return line.replace(/\r?\n$/, '');
}

function context(lines: readonly string[], firstNumber: number): DiffLine[] {
  return lines.map((text, index) => ({ sign: ' ', number: firstNumber + index, text }));
}

function commonFrame(before: string, after: string): Frame {
  const shorter = Math.min(before.length, after.length);
  const equalHead = commonLength(shorter, (from, to) => before.slice(from, to) === after.slice(from, to));
  const head = equalHead === 0 ? 0 : before.lastIndexOf('\n', equalHead - 1) + 1;
  const equalTail = commonLength(shorter - head, (from, to) => tail(before, from, to) === tail(after, from, to));
  let beforeEnd = before.length - equalTail;
  const afterEnd = after.length - equalTail;
  if (!startsLine(before, beforeEnd, head) || !startsLine(after, afterEnd, head)) {
    const newline = before.indexOf('\n', beforeEnd);
    beforeEnd = newline === -1 ? before.length : newline + 1;
  }
  return { head, beforeEnd, afterEnd: after.length - (before.length - beforeEnd) };
}

function tail(text: string, from: number, to: number): string {
  return text.slice(text.length - to, text.length - from);
}

function startsLine(text: string, position: number, head: number): boolean {
  return position === head || text[position - 1] === '\n';
}

/** The largest n up to `max` for which everything in [0, n) is equal; compares in blocks, then halves the last one. */
function commonLength(max: number, isEqual: (from: number, to: number) => boolean): number {
  let known = 0;
  let step = COMPARE_STEP;
  while (known < max && step >= 1) {
    const to = Math.min(max, known + step);
    if (isEqual(known, to)) known = to;
    else step = Math.floor(Math.min(step, to - known) / 2);
  }
  return known;
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Lines with their ends, so that a missing final newline is a difference. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lastLinesOf(text: string, end: number, count: number): string[] {
  let start = end;
  for (let i = 0; i < count && start > 0; i++) start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return splitLines(text.slice(start, end));
}

function firstLinesOf(text: string, start: number, count: number): { lines: string[]; hasMore: boolean } {
  let end = start;
  for (let i = 0; i < count && end < text.length; i++) {
    const newline = text.indexOf('\n', end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return { lines: splitLines(text.slice(start, end)), hasMore: end < text.length };
}

/** Lines that stay, are removed or are added, in order. */
interface Run {
  readonly added: boolean;
  readonly removed: boolean;
  readonly value: readonly string[];
}

function changedRuns(oldLines: readonly string[], newLines: readonly string[]): readonly Run[] {
  return (
    diffArrays([...oldLines], [...newLines], { maxEditLength: MAX_EDITS }) ?? [
      { removed: true, added: false, value: oldLines },
      { removed: false, added: true, value: newLines },
    ]
  );
}

/** The middle part line by line. */
function compareLines(
  oldLines: readonly string[],
  newLines: readonly string[],
  first: { readonly old: number; readonly new: number },
): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldNumber = first.old;
  let newNumber = first.new;
  for (const { added, removed, value } of changedRuns(oldLines, newLines)) {
    const sign = added ? '+' : removed ? '-' : ' ';
    const number = added ? newNumber : oldNumber;
    lines.push(...value.map((text, index) => ({ sign, number: number + index, text }) as const));
    if (!added) oldNumber += value.length;
    if (!removed) newNumber += value.length;
  }
  return lines;
}

/** Leaves out the middle of long unchanged runs between changes. */
function elide(lines: readonly DiffLine[], contextLines: number): (DiffLine | undefined)[] {
  const changed = lines.flatMap((line, index) => (line.sign === ' ' ? [] : [index]));
  const result: (DiffLine | undefined)[] = [];
  let previous: number | undefined;
  for (const index of changed) {
    if (previous !== undefined) {
      const between = lines.slice(previous + 1, index);
      if (between.length <= 2 * contextLines) result.push(...between);
      else result.push(...between.slice(0, contextLines), undefined, ...between.slice(-contextLines));
    }
    result.push(lines[index]);
    previous = index;
  }
  return result;
}
