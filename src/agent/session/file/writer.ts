import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openRegular } from '../../../base/regular-file';

/** A line waiting to be written; `onWritten` tells where it went. */
export interface PendingLine {
  readonly text: string;
  onWritten(offset: number, length: number): void;
}

/** What must be true before lines may be appended; each may throw to leave them waiting. */
export interface WriterPort {
  /** Makes the file ready (first write, migration) and checks that it is still ours. Gives the file's path. */
  prepare(): Promise<string>;
  /** Bytes that others appended lie between the two offsets. Called before anything is written after them. */
  absorb(from: number, to: number): Promise<void>;
}

/**
 * Appends lines to one file, in order, each whole: a batch begins with a newline if the file's last line is open.
 * What could not be written stays queued and is tried again with the next append or flush.
 */
export class LineWriter {
  private queue: PendingLine[] = [];
  private draining: Promise<void> | undefined;
  private failure: unknown;

  constructor(
    private readonly port: WriterPort,
    /** Bytes of the file as far as its content is known. */
    private known: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  get pendingCount(): number {
    return this.queue.length;
  }

  /** Tells that the file's content is known up to here (after it was written or read by others than this writer). */
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
    // Lines pushed in the same turn of the event loop go out as one write.
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
    const file = await this.port.prepare();
    const handle = await openRegular(file, constants.O_RDWR | constants.O_APPEND);
    try {
      const { size } = await handle.stat();
      if (size < this.known) throw new Error(`${file} has become shorter; another program has rewritten it`);
      if (size > this.known) await this.port.absorb(this.known, size);
      this.known = size;
      const batch = this.queue.slice();
      const tear = (await hasOpenTail(handle, size)) ? '\n' : '';
      await handle.appendFile(tear + batch.map(line => line.text).join(''));
      let offset = size + tear.length;
      this.queue = this.queue.slice(batch.length);
      for (const line of batch) {
        const length = Buffer.byteLength(line.text);
        line.onWritten(offset, length - 1);
        offset += length;
      }
      this.known = offset;
    } finally {
      await handle.close();
    }
  }
}

async function hasOpenTail(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}
