import { countNewlines, DEFAULT_MAX_BYTES } from '../truncate';

const NEWLINE = 0x0a;
/** More than the byte limit, so that the kept bytes show that the limit was passed. */
const KEEP_BYTES = DEFAULT_MAX_BYTES + 2;

/**
 * Picks the lines from `firstLine` (0-based) on out of a stream of bytes, at most `maxLines` of them, keeping no more
 * than the model can be shown, while it counts everything. A final newline ends the last line.
 */
export class LineWindow {
  /** Bytes of the selected lines, known also where they were not kept. */
  selectedBytes = 0;
  /** Bytes of the first selected line without its newline. */
  firstLineBytes = 0;
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private newlines = 0;
  private endsOpen = false;
  private readonly endLine: number;

  constructor(
    private readonly firstLine: number,
    maxLines = Number.POSITIVE_INFINITY,
  ) {
    this.endLine = firstLine + maxLines;
  }

  /** Lines in all of the stream so far. */
  get totalLines(): number {
    return this.newlines + (this.endsOpen ? 1 : 0);
  }

  /** Lines selected so far. */
  get selectedLines(): number {
    return Math.max(0, Math.min(this.totalLines, this.endLine) - this.firstLine);
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    let position = 0;
    while (position < chunk.length && this.isNearSelection()) position = this.take(chunk, position);
    if (position < chunk.length) this.count(chunk.subarray(position));
    this.endsOpen = chunk.at(-1) !== NEWLINE;
  }

  /** The kept text: all of the selection, or its first 50 KB. */
  text(): string {
    return Buffer.concat(this.kept).toString('utf8');
  }

  /** Once enough is kept and the first line is measured, counting is all that is left to do. */
  private isNearSelection(): boolean {
    if (this.newlines >= this.endLine) return false;
    return this.keptBytes < KEEP_BYTES || this.newlines <= this.firstLine;
  }

  private take(chunk: Buffer, position: number): number {
    const newline = chunk.indexOf(NEWLINE, position);
    const end = newline === -1 ? chunk.length : newline + 1;
    if (this.newlines >= this.firstLine) {
      if (this.newlines === this.firstLine) this.firstLineBytes += (newline === -1 ? end : newline) - position;
      this.selectedBytes += end - position;
      this.keep(chunk.subarray(position, end));
    }
    if (newline !== -1) this.newlines++;
    return end;
  }

  private count(rest: Buffer): void {
    const newlines = countNewlines(rest);
    if (this.newlines < this.endLine) this.selectedBytes += this.bytesOfSelection(rest, newlines);
    this.newlines += newlines;
  }

  private bytesOfSelection(rest: Buffer, newlines: number): number {
    let missing = this.endLine - this.newlines;
    if (newlines < missing) return rest.length;
    let end = 0;
    for (; missing > 0; missing--) end = rest.indexOf(NEWLINE, end) + 1;
    return end;
  }

  private keep(part: Buffer): void {
    const room = KEEP_BYTES - this.keptBytes;
    if (room <= 0) return;
    // A copy: the caller reuses its buffer.
    const copy = Buffer.from(part.subarray(0, room));
    this.kept.push(copy);
    this.keptBytes += copy.length;
  }
}
