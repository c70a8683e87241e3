/** What to search for and where. */
export interface GrepQuery {
  /** Absolute: a folder, or one file. */
  readonly root: string;
  readonly isDirectory: boolean;
  readonly pattern: string;
  readonly glob?: string | undefined;
  readonly ignoreCase: boolean;
  readonly literal: boolean;
  /** Lines before and after each match. */
  readonly context: number;
  /** Most matching lines. */
  readonly limit: number;
}

/** One line of a result: a match, or the surroundings of one. */
export interface GrepLine {
  /** Relative to the root, with `/`; the name of the file when the root is one. */
  readonly file: string;
  /** 1-based. */
  readonly number: number;
  readonly isMatch: boolean;
  readonly text: string;
}

export interface GrepResult {
  /** In the order of the files' names, then of the lines. */
  readonly lines: readonly GrepLine[];
  /** There are more matches than these. */
  readonly hasMore: boolean;
}

/**
 * Order of paths in results: name by name from the root, by code units. Two searches of the same tree list the same
 * things.
 */
export function comparePaths(a: string, b: string): number {
  const left = a.replaceAll('/', '\0');
  const right = b.replaceAll('/', '\0');
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Takes matches and context in order and keeps what belongs to the first `limit` matches. */
export class GrepCollector {
  readonly lines: GrepLine[] = [];
  hasMore = false;
  private matches = 0;
  private lastKept: GrepLine | undefined;

  constructor(
    private readonly context: number,
    private readonly limit: number,
  ) {}

  /** False when nothing that follows can matter. */
  add(line: GrepLine): boolean {
    if (this.matches < this.limit) {
      if (line.isMatch) {
        this.matches++;
        this.lastKept = line;
      }
      this.lines.push(line);
      return true;
    }
    const isContext = this.isAfterLastMatch(line);
    if (isContext) this.lines.push({ ...line, isMatch: false });
    if (line.isMatch) this.hasMore = true;
    return isContext || !this.hasMore;
  }

  private isAfterLastMatch(line: GrepLine): boolean {
    return (
      this.lastKept !== undefined &&
      line.file === this.lastKept.file &&
      line.number <= this.lastKept.number + this.context
    );
  }
}
