/** Where an edit applies in a text, as offsets; or why it does not. */
export type EditMatch =
  | { readonly kind: 'found'; readonly start: number; readonly end: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'ambiguous'; readonly count: number };

/**
 * Finds the one place where `oldText` stands: exactly, apart from the kind of line ends; else with trailing blanks and
 * the typographic variants of quotes, dashes and spaces taken as equal (EXT). Only the place
 * itself is returned in every case, so that the rest of the file can stay as it is. `oldText` must not be empty.
 */
export function findEdit(text: string, oldText: string): EditMatch {
  const hasCrlf = text.includes('\r\n');
  const plain = toLf(text);
  const wanted = toLf(oldText);
  const match = findExact(plain, wanted) ?? findFuzzy(plain, wanted);
  if (match.kind !== 'found' || !hasCrlf) return match;
  return { kind: 'found', start: beforeLfOnly(text, match.start), end: beforeLfOnly(text, match.end) };
}

/** CRLF and lone CR to LF. */
export function toLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/**
 * The line end to use for text that is put in at `start`: that of the line there, or of the line before when the last
 * one has none. A lone CR ends lines only in files that have no LF.
 */
export function lineEndAt(text: string, start: number): '\n' | '\r\n' | '\r' {
  const next = text.indexOf('\n', start);
  const lineFeed = next === -1 ? text.lastIndexOf('\n', start) : next;
  if (lineFeed === -1) return text.includes('\r') ? '\r' : '\n';
  return text[lineFeed - 1] === '\r' ? '\r\n' : '\n';
}

/** A line without trailing blanks and typographic variants: two lines with the same result count as equal. */
function normalizeLine(line: string): string {
  return foldCharacters(line).trimEnd();
}

function findExact(text: string, wanted: string): EditMatch | undefined {
  const start = text.indexOf(wanted);
  if (start === -1) return undefined;
  const count = countOf(text, wanted, start);
  return count > 1 ? { kind: 'ambiguous', count } : { kind: 'found', start, end: start + wanted.length };
}

function countOf(text: string, wanted: string, first: number): number {
  // Occurrences that overlap count as one, but it is not clear which is meant: so there are at least two.
  if (text.indexOf(wanted, first + 1) === -1) return 1;
  let count = 0;
  for (let at = first; at !== -1; at = text.indexOf(wanted, at + wanted.length)) count++;
  return Math.max(2, count);
}

function findFuzzy(text: string, wanted: string): EditMatch {
  const target = wanted.split('\n').map(normalizeLine).join('\n');
  if (target.trim() === '') return { kind: 'missing' };
  const lines = text.split('\n');
  const folded = lines.map(normalizeLine);
  const match = findExact(folded.join('\n'), target) ?? { kind: 'missing' };
  if (match.kind !== 'found') return match;
  const start = originalOffset(lines, folded, match.start);
  const end = originalOffset(lines, folded, match.end);
  return start === undefined || end === undefined ? { kind: 'missing' } : { kind: 'found', start, end };
}

/**
 * Carries an offset in the folded text over to the original lines; undefined inside a character that folding widened.
 */
function originalOffset(lines: readonly string[], folded: readonly string[], offset: number): number | undefined {
  let rest = offset;
  let lineStart = 0;
  for (const [index, line] of lines.entries()) {
    const length = folded[index]?.length ?? 0;
    if (rest <= length) {
      const column = rest === length ? line.length : originalColumn(line, rest);
      return column === undefined ? undefined : lineStart + column;
    }
    rest -= length + 1;
    lineStart += line.length + 1;
  }
  return undefined;
}

function originalColumn(line: string, column: number): number | undefined {
  let foldedLength = 0;
  let length = 0;
  for (const cluster of line.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []) {
    if (foldedLength >= column) break;
    foldedLength += foldCharacters(cluster).length;
    length += cluster.length;
  }
  return foldedLength === column ? length : undefined;
}

function foldCharacters(text: string): string {
  // eslint-disable-next-line no-control-regex -- the whole of ASCII is meant: it needs no folding
  if (/^[\u0000-\u007f]*$/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}

/** Carries an offset in a text without CR over to the text with CRLF. */
function beforeLfOnly(text: string, offset: number): number {
  let removed = 0;
  for (let at = text.indexOf('\r\n'); at !== -1 && at - removed < offset; at = text.indexOf('\r\n', at + 2)) removed++;
  return offset + removed;
}
