import type { FileHandle } from 'node:fs/promises';
import type { Problem } from '../../../base/result';
import { PEEK_BYTES, peekHead, type EntryHead, type SessionDecoder } from './codec';
import type { EntryId } from '../entry';
import type { LineRange, EntryNode } from '../tree';

const CHUNK_BYTES = 512 * 1024;
const NEWLINE = 0x0a;
const CLOSING_BRACE = 0x7d;
/**
 * Twice on one line: perhaps two entries, the first one incomplete, because pi appended after a crash. The quote before it is
 * left out: JSON has so many quotes that the search took six times as long.
 */
const PARENT_KEY = Buffer.from('parentId":');
/** A longer line is not an entry. It is not read, so that a damaged file never becomes one huge string. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** What a scan reports, in file order. */
export interface ScanSink {
  node(node: EntryNode): void;
  problem(problem: Problem): void;
  /** A line that is not empty and is not an entry. */
  unusable(range: LineRange): void;
}

export interface ScanResult {
  /** Bytes of the file when it was read. */
  readonly size: number;
  /** Lines seen, counted from 1 at the start of the file. */
  readonly lines: number;
}

/** Where a scan begins: the file's start, or the end of an earlier scan. */
export interface ScanStart {
  readonly offset: number;
  readonly line: number;
}

/**
 * Finds the lines of a session file in slices: reads block by block, looks only at the head of each line where that
 * suffices, and lets the event loop run between blocks. Nothing larger than one line is ever held.
 */
export async function scanLines(
  file: FileHandle,
  reader: SessionDecoder,
  sink: ScanSink,
  start: ScanStart = { offset: 0, line: 1 },
): Promise<ScanResult> {
  const scan = new Scan(file, reader, sink, start);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let offset = start.offset;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, offset);
    if (bytesRead === 0) break;
    await scan.chunk(chunk.subarray(0, bytesRead), offset);
    offset += bytesRead;
  }
  await scan.end(offset);
  return { size: offset, lines: scan.line - 1 };
}

class Scan {
  line: number;
  private lineStart: number;
  private headText = '';
  private lastByte = NEWLINE;
  private parentKeys = 0;
  private readonly types = new Map<string, string>();
  private lastId: EntryId | null = null;

  constructor(
    private readonly file: FileHandle,
    private readonly reader: SessionDecoder,
    private readonly sink: ScanSink,
    start: ScanStart,
  ) {
    this.line = start.line;
    this.lineStart = start.offset;
  }

  async chunk(chunk: Buffer, chunkStart: number): Promise<void> {
    let from = 0;
    let parentKey = chunk.indexOf(PARENT_KEY);
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from);
      const end = newline < 0 ? chunk.length : newline;
      if (this.headText.length < PEEK_BYTES) {
        this.headText += chunk.toString('latin1', from, Math.min(end, from + PEEK_BYTES - this.headText.length));
      }
      if (end > from) this.lastByte = chunk[end - 1] ?? 0;
      for (; parentKey >= 0 && parentKey < end; parentKey = chunk.indexOf(PARENT_KEY, parentKey + 1)) this.parentKeys++;
      if (newline < 0) return;
      const length = chunkStart + newline - this.lineStart;
      const head = this.canPeek(length) ? peekHead(this.headText) : undefined;
      if (head) this.peeked(head, length);
      else if (this.lineStart < chunkStart) this.parsed(await this.readLine(length), length);
      else this.parsed(chunk.toString('utf8', this.lineStart - chunkStart, newline), length);
      this.next(chunkStart + newline + 1);
      from = newline + 1;
    }
  }

  /** Handles the text after the last newline; true when there is any. */
  async end(size: number): Promise<void> {
    const length = size - this.lineStart;
    if (length === 0) return;
    this.parsed(await this.readLine(length), length, true);
    this.next(size);
  }

  private canPeek(length: number): boolean {
    if (this.reader.migrates || this.reader.header === undefined) return false;
    return this.lastByte === CLOSING_BRACE && this.parentKeys < 2 && length > 1;
  }

  private next(start: number): void {
    this.line++;
    this.lineStart = start;
    this.headText = '';
    this.lastByte = NEWLINE;
    this.parentKeys = 0;
  }

  private range(length: number): LineRange {
    return { offset: this.lineStart, length, line: this.line };
  }

  /** A session may have hundreds of thousands of these, so equal parts of their heads share one string. */
  private peeked(head: EntryHead, length: number): void {
    this.reader.skipped(head);
    const { id, parentId } = head;
    const type = this.types.get(head.type) ?? head.type;
    this.types.set(type, type);
    this.sink.node({
      id,
      parentId: parentId === this.lastId ? this.lastId : parentId,
      type,
      parent: undefined, // Objects that get members later use more memory.
      offset: this.lineStart,
      length,
      line: this.line,
    });
    this.lastId = id;
  }

  private parsed(text: string | undefined, length: number, tail = false): void {
    if (text === undefined) {
      this.sink.unusable(this.range(length));
      this.sink.problem({ message: `Line of ${length} bytes is too long to be an entry`, line: this.line });
      return;
    }
    const read = this.reader.read(text, this.line);
    if (read.kind === 'entry') {
      const { id, parentId, type } = read.entry;
      const node: EntryNode = { id, parentId, type, ...this.range(length) };
      if (!read.rereadable) node.entry = read.entry;
      this.sink.node(node);
    } else if (read.kind === 'unusable') {
      if (read.head) this.sink.node({ ...read.head, ...this.range(length), damaged: true });
      else this.sink.unusable(this.range(length));
    }
    if (!('problem' in read) || !read.problem) return;
    const message = tail ? `The last line is torn. ${read.problem.message}` : read.problem.message;
    this.sink.problem({ ...read.problem, message });
  }

  private async readLine(length: number): Promise<string | undefined> {
    if (length > MAX_LINE_BYTES) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.file.read(bytes, 0, length, this.lineStart);
    return bytes.toString('utf8', 0, bytesRead);
  }
}
