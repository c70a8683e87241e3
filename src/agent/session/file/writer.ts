import { constants, fstatSync, readSync, writeSync, type BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openRegular } from '../../../base/files/regular-file';

/** A line waiting to be written; `onWritten` tells where it went. */
export interface PendingLine {
  readonly text: string;
  onWritten(offset: number, length: number): void;
}

/** A file to append to, and how it is on disk now. */
export interface ReadyFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** What must be true before lines may be appended; each may throw to leave them waiting. */
export interface WriterPort {
  /** Makes the file ready (first write, migration) and checks that it is still ours. */
  prepare(): Promise<ReadyFile>;
  /** Reads what others appended from this offset on, before anything is written after it. Resolves with the new end. */
  absorb(from: number): Promise<number>;
}

/**
 * Appends complete lines to one file, in order: a batch begins with a newline if the file's last line has none. Lines
 * that could not be written stay queued for the next append or flush.
 */
export class LineWriter {
  private queue: PendingLine[] = [];
  private draining: Promise<void> | undefined;
  private failure: unknown;
  private file: OpenFile | undefined;
  /** The size at which our last batch ended, with a newline. */
  private endOfBatch = -1;

  constructor(
    private readonly port: WriterPort,
    /** Bytes of the file as far as its content is known. */
    private known: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Notes that the file's content is known up to here, after other code wrote or read it. */
  setKnown(size: number): void {
    this.known = size;
  }

  push(line: PendingLine): void {
    this.queue.push(line);
    void this.start();
  }

  /** Resolves when all lines pushed so far are in the file; rejects with the reason why they are not. */
  async flush(): Promise<void> {
    await this.start();
    if (this.queue.length > 0) await this.start();
    if (this.queue.length > 0) throw this.failure instanceof Error ? this.failure : new Error(String(this.failure));
  }

  private start(): Promise<void> {
    this.draining ??= this.drain();
    return this.draining;
  }

  private async drain(): Promise<void> {
    // Lines pushed in the same turn of the event loop are one write.
    await Promise.resolve();
    try {
      while (this.queue.length > 0) await this.writeBatch();
      this.failure = undefined;
    } catch (error) {
      this.failure = error;
      this.onFailure(error);
    } finally {
      this.draining = undefined;
    }
  }

  private async writeBatch(): Promise<void> {
    const { path, handle, size: found } = await this.opened(await this.port.prepare());
    let size = found;
    while (size > this.known) {
      this.known = await this.port.absorb(this.known);
      // Another file has taken the place of this one.
      if (this.known < size) break;
      size = fstatSync(handle.fd).size;
    }
    if (size !== this.known) throw new Error(`${path} has become shorter; another program has rewritten it`);
    const batch = this.queue.slice();
    const tear = size !== this.endOfBatch && hasOpenTail(handle, size) ? '\n' : '';
    await appendTo(handle, tear + batch.map(line => line.text).join(''));
    let offset = size + tear.length;
    this.queue = this.queue.slice(batch.length);
    for (const line of batch) {
      const length = Buffer.byteLength(line.text);
      line.onWritten(offset, length - 1);
      offset += length;
    }
    this.known = this.endOfBatch = offset;
  }

  /** The file, with its size in bytes; it stays open between batches while its path names the same file. */
  private async opened({ path, stats }: ReadyFile): Promise<OpenFile & { readonly size: number }> {
    const { dev, ino, size } = stats;
    if (this.file?.dev === dev && this.file.ino === ino) return { ...this.file, size: Number(size) };
    await this.close();
    const handle = await openRegular(path, constants.O_RDWR | constants.O_APPEND);
    const found = await handle.stat({ bigint: true });
    this.file = { path, handle, dev: found.dev, ino: found.ino };
    this.endOfBatch = -1;
    return { ...this.file, size: Number(found.size) };
  }

  /** Closes the file; a later batch opens it again. */
  async close(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await file?.handle.close();
  }
}

interface OpenFile extends Pick<BigIntStats, 'dev' | 'ino'> {
  readonly path: string;
  readonly handle: FileHandle;
}

/** Texts up to this length are written synchronously: waking a thread for them takes longer. */
const SHORT = 16 * 1024;

async function appendTo(handle: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const written = bytes.length > SHORT ? 0 : writeSync(handle.fd, bytes);
  if (written < bytes.length) await handle.appendFile(bytes.subarray(written));
}

/** Synchronous, so that nothing is appended between this look and our lines. */
function hasOpenTail(handle: FileHandle, size: number): boolean {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(handle.fd, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}
