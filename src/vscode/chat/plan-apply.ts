/** What applying a block of code makes of a file, and by which rule. */
export interface AppliedCode {
  readonly text: string;
  /** `patch`: hunks of a diff; `part`: it took the place of the lines between its first and its last one. */
  readonly how: 'new' | 'patch' | 'part' | 'whole' | 'end';
}

/** A block shorter than this part of the file, with no line of it to be found there, is not a new version of it. */
const WHOLE_SHARE = 0.5;

/**
 * The text of a file after a block of code of an answer was applied to it. A diff is applied hunk by hunk. A block that
 * is about as long as the file, or shares half of its lines, replaces the file. A part of the file replaces the text
 * between its first and last line. Any other block is added at the end. Undefined for a diff that does not fit.
 */
export function planApply(current: string, code: string, language: string): AppliedCode | undefined {
  const eol = lineEndOf(current);
  const lines = linesOf(current);
  const block = linesOf(code);
  if (isDiff(block, language)) {
    const patched = patch(lines, block);
    return patched && { text: joined(patched, current, eol), how: 'patch' };
  }
  if (current.trim() === '') return { text: joined(block, '\n', eol), how: 'new' };
  const place = placeOf(lines, block);
  if (place !== undefined) {
    const text = joined([...lines.slice(0, place.from), ...block, ...lines.slice(place.to + 1)], current, eol);
    return { text, how: 'part' };
  }
  if (isWhole(lines, block)) return { text: wholeText(current, code), how: 'whole' };
  return { text: joined([...lines, '', ...block], current, eol), how: 'end' };
}

/** The text of a file after a block of code took the place of all of it: the line ends stay as they are. */
export function wholeText(current: string, code: string): string {
  return joined(linesOf(code), current, lineEndOf(current));
}

/**
 * The path that is written before a block of code, without its line number. Undefined if the text does not look like a
 * path.
 */
export function pathIn(text: string): string | undefined {
  const found = /^[`'"]?((?:[\w@.~+-][\w@.~+ -]*[\\/])*[\w@.+ -]*\.[A-Za-z][\w-]{0,15})(?:[:#][\d,L-]+)?[`'"]?$/.exec(
    text.trim(),
  );
  return found?.[1];
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function linesOf(text: string): string[] {
  return text.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n');
}

function joined(lines: readonly string[], current: string, eol: string): string {
  return lines.join(eol) + (current === '' || /\n$/.test(current) ? eol : '');
}

function isDiff(block: readonly string[], language: string): boolean {
  const hasHunk = block.some(line => line.startsWith('@@'));
  return hasHunk && (language === 'diff' || language === 'patch' || block.some(line => line.startsWith('+++ ')));
}

/** Each hunk is looked for by its own lines, after the one before: line numbers of models are often wrong. */
function patch(lines: readonly string[], block: readonly string[]): string[] | undefined {
  const result = [...lines];
  let from = 0;
  for (const hunk of hunksOf(block)) {
    const old = hunk.filter(line => !line.startsWith('+')).map(line => line.slice(1));
    const fresh = hunk.filter(line => !line.startsWith('-')).map(line => line.slice(1));
    const at = find(result, old, from);
    if (at === undefined) return undefined;
    result.splice(at, old.length, ...fresh);
    from = at + fresh.length;
  }
  return result;
}

function hunksOf(block: readonly string[]): string[][] {
  const hunks: string[][] = [];
  for (const line of block) {
    if (line.startsWith('@@')) hunks.push([]);
    else if (!line.startsWith('\\')) hunks.at(-1)?.push(line === '' ? ' ' : line);
  }
  return hunks;
}

function find(lines: readonly string[], wanted: readonly string[], from: number): number | undefined {
  for (let at = from; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, index) => lines[at + index] === line)) return at;
  }
  return undefined;
}

/** Where first and last line of the block stand, each once, in this order. */
function placeOf(
  lines: readonly string[],
  block: readonly string[],
): { readonly from: number; readonly to: number } | undefined {
  const filled = block.filter(line => line.trim() !== '');
  const first = filled[0];
  const last = filled.at(-1);
  if (first === undefined || last === undefined || filled.length < 2) return undefined;
  const from = onlyIndex(lines, first);
  if (from === undefined) return undefined;
  const ends = lines.flatMap((line, index) => (index > from && line.trimEnd() === last.trimEnd() ? [index] : []));
  // A closing brace is in many places: the next one at its depth closes what begins here.
  const [to] = ends;
  return to === undefined ? undefined : { from, to };
}

function onlyIndex(lines: readonly string[], wanted: string): number | undefined {
  const found = lines.flatMap((line, index) => (line.trimEnd() === wanted.trimEnd() ? [index] : []));
  return found.length === 1 ? found[0] : undefined;
}

function isWhole(lines: readonly string[], block: readonly string[]): boolean {
  const known = new Set(lines.map(line => line.trim()).filter(line => line !== ''));
  const shared = block.filter(line => known.has(line.trim())).length;
  return shared > 0 && (shared >= known.size * WHOLE_SHARE || block.length >= lines.length);
}
