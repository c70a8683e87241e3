import { isUtf8 } from 'node:buffer';
import { createWriteStream, readSync } from 'node:fs';
import { type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { openRegular } from '../../../base/files/regular-file';
import type { Problem } from '../../../base/result';
import { rereadEntry } from './codec';
import type { StoredEntry } from '../entry';
import { rangeOf, type LineRange, type EntryNode } from '../tree';

/** Bytes of JSON whose parsed entries are kept in memory. Other entries are read again when they are needed. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** Bytes that are read at once: lines are mostly read in the order of the file. */
const BLOCK_BYTES = 128 * 1024;

/** Parses entries of one session file on demand and caches the latest ones. Close it to release the file. */
export class EntryReader {
  /** In the order of their last use. */
  private readonly cache = new Map<EntryNode, StoredEntry>();
  /** Iterator before the entry that is evicted next. A new iterator would have to skip all evicted ones. */
  private readonly oldest = this.cache.keys();
  private cachedBytes = 0;
  private block: Buffer | undefined;
  /** Which bytes of the file are in {@link block}; a file that only grows does not make them wrong. */
  private held = { start: 0, end: 0 };
  private handle: FileHandle | undefined;

  constructor(private readonly onProblem: (problem: Problem) => void) {}

  /** Opens the file to read from; a file opened before is closed. */
  async openFile(file: string): Promise<FileHandle> {
    const handle = await openRegular(file);
    await this.close();
    this.held = { start: 0, end: 0 };
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
    const entry = this.readOnce(node);
    if (entry) this.keep(node, entry);
    return entry;
  };

  /** {@link read} for callers that need each entry of a session once: the entry is not kept in memory. */
  readonly readOnce = (node: EntryNode): StoredEntry | undefined => {
    if (node.entry) return node.entry;
    const range = rangeOf(node);
    if (node.damaged === true || !range) return undefined;
    const read = rereadEntry(this.lineAt(range), range.line);
    if (read.ok) return read.entry;
    node.damaged = true;
    this.onProblem(read.problem);
    return undefined;
  };

  /** The text of a line as it is in the file, without its newline. Throws when the file is closed. */
  lineAt(range: LineRange): string {
    return this.bytesAt(range).toString('utf8');
  }

  /** Whether a line's bytes are text, so that reading and writing them loses nothing. Throws when the file is closed. */
  isTextAt(range: LineRange): boolean {
    return isUtf8(this.bytesAt(range));
  }

  /** Valid until the next call. */
  private bytesAt({ offset, length, line }: LineRange): Buffer {
    if (!this.handle) throw new Error(`Line ${line} cannot be read: the session is closed`);
    if (length > BLOCK_BYTES) {
      const bytes = Buffer.allocUnsafeSlow(length);
      return bytes.subarray(0, readSync(this.handle.fd, bytes, 0, length, offset));
    }
    const block = (this.block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES));
    if (offset < this.held.start || offset + length > this.held.end) {
      this.held = { start: offset, end: offset + readSync(this.handle.fd, block, 0, BLOCK_BYTES, offset) };
    }
    const { start, end } = this.held;
    return block.subarray(offset - start, Math.min(offset + length, end) - start);
  }

  /**
   * Writes the content of the open file to a free path: a deleted file can still be read while it is open. Returns its
   * size in bytes.
   * @throws Error when no file is open, or the system's
   */
  async copyTo(path: string): Promise<number> {
    if (!this.handle) throw new Error('the session is closed');
    const { size, mode } = await this.handle.stat();
    const source = this.handle.createReadStream({ start: 0, autoClose: false });
    await pipeline(source, createWriteStream(path, { flags: 'wx', mode: mode & 0o777 }));
    return size;
  }

  /** Allows an entry that is now in the file to be evicted from memory. */
  keep(node: EntryNode, entry: StoredEntry): void {
    this.cache.set(node, entry);
    this.cachedBytes += node.length ?? 0;
    while (this.cachedBytes > CACHE_BYTES && this.cache.size > 1) {
      const { value, done } = this.oldest.next();
      if (done === true) return;
      this.cache.delete(value);
      this.cachedBytes -= value.length ?? 0;
    }
  }

  async close(): Promise<void> {
    const handle = this.handle;
    this.handle = undefined;
    await handle?.close();
  }
}
