import { withLineFeeds } from '../../src/base/text/visible-text';

/** One line of a text. Removed and unchanged lines have their number in the old text, added ones that in the new text. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same';
  /** From 1; undefined when the diff does not say. */
  readonly number: number | undefined;
  readonly text: string;
}

/** What a diff says of a whole file. */
export interface DiffFile {
  readonly kind: 'file';
  readonly path: string;
  /** The path before, of a renamed file. */
  readonly was: string | undefined;
  readonly change: 'changed' | 'created' | 'deleted' | 'renamed';
  readonly isBinary: boolean;
}

/** Unchanged lines that the diff leaves out; `lines` is undefined when their number is not known. */
export interface DiffGap {
  readonly kind: 'gap';
  readonly lines: number | undefined;
}

export type DiffRow = DiffLine | DiffFile | DiffGap | { readonly kind: 'noLineEnd' };

/**
 * Reads a diff: with the line numbers of our own tools (`-12 old`, `+12 new`, ` 11 context`, ` ...`), unified, or lines
 * that have only signs. What a header says wrongly, such as a number of lines, stops nothing.
 */
export function diffRows(diff: string): readonly DiffRow[] {
  const lines = withLineFeeds(diff).replace(/\n$/, '').split('\n');
  return numberedRows(lines) ?? new UnifiedDiff(lines).read();
}

/** The number of lines that a diff adds and removes. */
export function diffCounts(diff: string): { readonly added: number; readonly removed: number } {
  const rows = diffRows(diff);
  const count = (wanted: DiffLine['kind']): number => rows.filter(({ kind }) => kind === wanted).length;
  return { added: count('added'), removed: count('removed') };
}

const LEFT_OUT = /^ +\.\.\.$/;

/** Undefined when a line has no number. */
function numberedRows(lines: readonly string[]): readonly DiffRow[] | undefined {
  const rows: DiffRow[] = [];
  let nextOld = 1;
  for (const line of lines) {
    if (LEFT_OUT.test(line)) {
      rows.push({ kind: 'gap', lines: undefined });
      continue;
    }
    const [, sign = ' ', digits, text = ''] = /^([ +-])( *\d+)(?: (.*))?$/s.exec(line) ?? [];
    if (digits === undefined) return undefined;
    const number = Number(digits);
    if (sign !== '+') {
      if (rows.at(-1)?.kind === 'gap' && number > nextOld) {
        rows[rows.length - 1] = { kind: 'gap', lines: number - nextOld };
      }
      nextOld = number + 1;
    }
    rows.push({ kind: kindOf(sign), number, text });
  }
  return rows;
}

function kindOf(sign: string | undefined): DiffLine['kind'] {
  if (sign === '+') return 'added';
  return sign === '-' ? 'removed' : 'same';
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

/** The numbers of the next lines in both texts, and how many lines the header of the hunk still promises. */
interface Hunk {
  old: number;
  new: number;
  oldLeft: number;
  newLeft: number;
}

/** Reads a unified diff, also one that git wrote, of any number of files. */
class UnifiedDiff {
  private readonly rows: DiffRow[] = [];
  /** The file whose header was read last. */
  private file: Changeable<DiffFile> | undefined;
  private hunk: Hunk | undefined;

  constructor(private readonly lines: readonly string[]) {}

  read(): readonly DiffRow[] {
    this.lines.forEach((line, at) => {
      if (this.startsHunk(line)) return;
      if (this.isInHunk(line, at)) this.content(line);
      else if (!this.header(line)) this.content(line);
    });
    return this.rows;
  }

  private startsHunk(line: string): boolean {
    if (!line.startsWith('@@')) return false;
    const [, old = '1', oldLines = '1', next = '1', newLines = '1'] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    const start = Number(old) + (oldLines === '0' ? 1 : 0);
    const leftOut = start - (this.hunk?.old ?? 1);
    if (leftOut > 0) this.rows.push({ kind: 'gap', lines: leftOut });
    this.hunk = {
      old: start,
      new: Number(next) + (newLines === '0' ? 1 : 0),
      oldLeft: Number(oldLines),
      newLeft: Number(newLines),
    };
    return true;
  }

  /** A removed line may look like a header, as long as the hunk is not complete. */
  private isInHunk(line: string, at: number): boolean {
    const { hunk } = this;
    if (hunk === undefined || line.startsWith('diff --git ')) return false;
    const isComplete = hunk.oldLeft <= 0 && hunk.newLeft <= 0;
    return !(isComplete && line.startsWith('--- ') && this.lines[at + 1]?.startsWith('+++ ') === true);
  }

  private content(line: string): void {
    // The bytes of a binary file are not shown.
    if (this.hunk === undefined && this.file?.isBinary === true) return;
    if (line.startsWith('\\')) {
      this.rows.push({ kind: 'noLineEnd' });
      return;
    }
    const kind = kindOf(line[0]);
    const { hunk } = this;
    const number = kind === 'added' ? hunk?.new : hunk?.old;
    this.rows.push({ kind, number, text: /^[ +-]/.test(line) ? line.slice(1) : line });
    if (hunk === undefined) return;
    if (kind !== 'added') {
      hunk.old += 1;
      hunk.oldLeft -= 1;
    }
    if (kind !== 'removed') {
      hunk.new += 1;
      hunk.newLeft -= 1;
    }
  }

  /** False for a line that is no header of a file. */
  private header(line: string): boolean {
    for (const { pattern, says } of HEADERS) {
      const match = pattern.exec(line);
      if (match === null) continue;
      if (this.file === undefined || this.startsFile(line, this.file)) {
        this.file = { kind: 'file', path: '', was: undefined, change: 'changed', isBinary: false };
        this.hunk = undefined;
        this.rows.push(this.file);
      }
      Object.assign(this.file, says(match[1] ?? '', match[2] ?? ''));
      return true;
    }
    return false;
  }

  /** Whether a header belongs to the next file. */
  private startsFile(line: string, { isBinary }: DiffFile): boolean {
    return this.hunk !== undefined || line.startsWith('diff --git ') || (isBinary && line.startsWith('--- '));
  }
}

const NO_FILE = '/dev/null';

/** The lines before the hunks of a file, and what each says of it. */
const HEADERS: readonly { readonly pattern: RegExp; says: (name: string, after: string) => Partial<DiffFile> }[] = [
  { pattern: /^diff --git .* "?b\/(.+?)"?$/, says: path => ({ path }) },
  {
    pattern: /^--- (?:"?a\/)?([^\t]+?)"?(?:\t.*)?$/,
    says: path => (path === NO_FILE ? { change: 'created' } : { path }),
  },
  {
    pattern: /^\+\+\+ (?:"?b\/)?([^\t]+?)"?(?:\t.*)?$/,
    says: path => (path === NO_FILE ? { change: 'deleted' } : { path }),
  },
  { pattern: /^rename from (.+)$/, says: was => ({ was, change: 'renamed' }) },
  { pattern: /^rename to (.+)$/, says: path => ({ path }) },
  { pattern: /^new file mode /, says: () => ({ change: 'created' }) },
  { pattern: /^deleted file mode /, says: () => ({ change: 'deleted' }) },
  {
    pattern: /^Binary files (?:a\/)?(.+) and (?:b\/)?(.+) differ$/,
    says: (path, after) => ({ isBinary: true, path: after === NO_FILE ? path : after }),
  },
  { pattern: /^GIT binary patch$/, says: () => ({ isBinary: true }) },
  { pattern: /^(?:diff|index|similarity|dissimilarity|old mode|new mode|Index:) |^=+$/, says: () => ({}) },
];
