import { isUtf8 } from 'node:buffer';
import { createWriteStream, readSync } from 'node:fs';
import { type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { openRegular } from '../../../base/regular-file';
import type { Problem } from '../../../base/result';
import { rereadEntry } from './codec';
import type { StoredEntry } from '../entry';
import type { LineRange, EntryNode } from '../tree';

/** Bytes of JSON whose parsed entries are kept in memory; the rest is read again when asked for. */
const CACHE_BYTES = 16 * 1024 * 1024;

const USUAL_LINE_BYTES = 64 * 1024;
/** The buffer of a longer line is released. */
const MOST_LINE_BYTES_KEPT = 1024 * 1024;

/** Parses entries of one session file on demand and caches the latest ones. Close it to release the file. */
export class EntryReader {
  /** In order of last use. */
  private readonly cache = new Map<EntryNode, StoredEntry>();
  /** Iterator before the entry that is evicted next. A new iterator would have to skip all evicted ones. */
  private readonly oldest = this.cache.keys();
  private cachedBytes = 0;
  /** Buffer into which lines are read; opening a session reads thousands. */
  private line = Buffer.alloc(0);
  private handle: FileHandle | undefined;

  constructor(private readonly onProblem: (problem: Problem) => void) {}

  /** Opens the file to read from; a file opened before is closed. */
  async openFile(file: string): Promise<FileHandle> {
    const handle = await openRegular(file);
    await this.close();
    this.handle = handle;
    return handle;
  }

  /**
   * The entry of a node; undefined when its line cannot be used, which `onProblem` reports once. Blocks for one read.
   */
  readonly read = (node: EntryNode): StoredEntry | undefined => {
    if (node.entry) return node.entry;
    const cached = this.cache.get(node);
    if (cached) {
      this.cache.delete(node);
      this.cache.set(node, cached);
      return cached;
    }
    if (node.damaged === true || !node.source) return undefined;
    const read = rereadEntry(this.lineAt(node.source), node.source.line);
    if (!read.ok) {
      node.damaged = true;
      this.onProblem(read.problem);
      return undefined;
    }
    this.keep(node, read.entry);
    return read.entry;
  };

  /** The text of a line as it is in the file, without its newline. Throws when the file is closed. */
  lineAt(range: LineRange): string {
    if (!this.handle) throw new Error(`Line ${range.line} cannot be read: the session is closed`);
    if (this.line.length < range.length) this.line = Buffer.allocUnsafeSlow(Math.max(range.length, USUAL_LINE_BYTES));
    const { line } = this;
    const count = readSync(this.handle.fd, line, 0, range.length, range.offset);
    if (line.length > MOST_LINE_BYTES_KEPT) this.line = Buffer.alloc(0);
    return line.toString('utf8', 0, count);
  }

  /** Whether a line's bytes are text, so that reading and writing them loses nothing. Throws when the file is closed. */
  isTextAt({ offset, length, line }: LineRange): boolean {
    if (!this.handle) throw new Error(`Line ${line} cannot be read: the session is closed`);
    const bytes = Buffer.allocUnsafe(length);
    return isUtf8(bytes.subarray(0, readSync(this.handle.fd, bytes, 0, length, offset)));
  }

  /**
   * Writes the content of the open file to a free path: a deleted file can still be read while it is open. Returns its
   * size in bytes.
   * @throws Error when no file is open, or the system's
   */
  async copyTo(path: string): Promise<number> {
    if (!this.handle) throw new Error('the session is closed');
    const { size } = await this.handle.stat();
    const source = this.handle.createReadStream({ start: 0, autoClose: false });
    await pipeline(source, createWriteStream(path, { flags: 'wx' }));
    return size;
  }

  /** Allows an entry that is now in the file to be evicted from memory. */
  keep(node: EntryNode, entry: StoredEntry): void {
    this.cache.set(node, entry);
    this.cachedBytes += node.source?.length ?? 0;
    while (this.cachedBytes > CACHE_BYTES && this.cache.size > 1) {
      const { value, done } = this.oldest.next();
      if (done === true) return;
      this.cache.delete(value);
      this.cachedBytes -= value.source?.length ?? 0;
    }
  }

  async close(): Promise<void> {
    const handle = this.handle;
    this.handle = undefined;
    await handle?.close();
  }
}
