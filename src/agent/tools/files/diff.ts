import { diffArrays } from 'diff';

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
export interface DiffPlace {
  readonly linesBefore: number;
  readonly linesAfter: number;
}

const CONTEXT_LINES = 4;
/** Lines that differ in a changed region, at most; a region with more is shown as wholly removed and added. */
const MAX_EDITS = 1_000;
const COMPARE_STEP = 4096;

/**
 * Line by line difference with line numbers: `-12 old`, `+12 new`, ` 11 context`, ` ...` for what is left out. The
 * cost depends on the changed region: equal heads and tails are skipped without splitting them.
 */
export function diffTexts(
  before: string,
  after: string,
  contextLines = CONTEXT_LINES,
  place: DiffPlace = { linesBefore: 0, linesAfter: 0 },
): TextDiff {
  if (before === after) return { diff: '', firstChangedLine: undefined };
  const frame = commonFrame(before, after);
  const firstLine = place.linesBefore + countLineEnds(before, 0, frame.head) + 1;
  const oldLines = splitLines(before.slice(frame.head, frame.beforeEnd));
  const newLines = splitLines(after.slice(frame.head, frame.afterEnd));
  const changes = compareLines(oldLines, newLines, firstLine);

  const lead = lastLinesOf(before, frame.head, contextLines);
  const trail = firstLinesOf(before, frame.beforeEnd, contextLines);
  const tailNumber = firstLine + oldLines.length;
  const lines: readonly (DiffLine | undefined)[] = [
    ...(firstLine - 1 > lead.length ? [undefined] : []),
    ...context(lead, firstLine - lead.length),
    ...elide(changes, contextLines),
    ...context(trail.lines, tailNumber),
    ...(trail.hasMore || place.linesAfter > 0 ? [undefined] : []),
  ];
  const tailLines = countLineEnds(before, frame.beforeEnd, before.length) + 1 + place.linesAfter;
  const width = String(firstLine + Math.max(oldLines.length, newLines.length) + tailLines - 1).length;
  const changed = changes.findIndex(line => line.sign !== ' ');
  return { diff: lines.map(line => render(line, width)).join('\n'), firstChangedLine: firstLine + changed };
}

/**
 * {@link diffTexts} of a text and the same text after a replacement, at a cost that does not grow with the text.
 * `countLines` gives the number of line ends in a part of the text.
 */
export function diffReplacement(
  text: string,
  { start, end, inserted }: Replacement,
  countLines: (from: number, to: number) => number,
): TextDiff {
  const from = backByLines(text, start, CONTEXT_LINES + 1);
  const to = onByLines(text, end, CONTEXT_LINES + 1);
  const after = text.slice(from, start) + inserted + text.slice(end, to);
  const openLine = to < text.length && !text.endsWith('\n') ? 1 : 0;
  const place = { linesBefore: countLines(0, from), linesAfter: countLines(to, text.length) + openLine };
  return diffTexts(text.slice(from, to), after, CONTEXT_LINES, place);
}

/** The start of the line that is some lines before the position. */
function backByLines(text: string, position: number, lines: number): number {
  let at = position;
  for (let i = 0; i < lines; i++) {
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

/** The end of the line that is some lines after the position. */
function onByLines(text: string, position: number, lines: number): number {
  let at = position;
  for (let i = 0; i < lines && at < text.length; i++) {
    const newline = text.indexOf('\n', at);
    at = newline === -1 ? text.length : newline + 1;
  }
  return at;
}

function render(line: DiffLine | undefined, width: number): string {
  if (line === undefined) return ` ${' '.repeat(width)} ...`;
  return `${line.sign}${String(line.number).padStart(width)} ${line.text.replace(/\r?\n$/, '')}`;
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

/** The middle part line by line. */
function compareLines(oldLines: readonly string[], newLines: readonly string[], firstLine: number): DiffLine[] {
  const changes = diffArrays([...oldLines], [...newLines], { maxEditLength: MAX_EDITS }) ?? [
    { removed: true, added: false, value: [...oldLines] },
    { removed: false, added: true, value: [...newLines] },
  ];
  const lines: DiffLine[] = [];
  let oldNumber = firstLine;
  let newNumber = firstLine;
  for (const { added, removed, value } of changes) {
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
