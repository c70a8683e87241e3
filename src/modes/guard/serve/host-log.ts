import { appendFileSync, renameSync } from 'node:fs';
import { sizeOfSync } from '../../../base/files/on-disk';
import { hideSecrets } from '../../../base/text/redact';

/** Bytes at which a new file is begun; the one before is kept as `….1`, so that twice as much is on disk at most. */
const FILE_LIMIT = 1024 * 1024;

/** What the host prints, in a file that only its owner can read. Does nothing when the disk fails. */
export class HostLog {
  private size: number;

  /** `path`: absolute, in a folder that exists. */
  constructor(
    private readonly path: string,
    private readonly limit = FILE_LIMIT,
  ) {
    this.size = sizeOfSync(path);
  }

  /** Writes a text, without secrets. */
  write(text: string): void {
    const bytes = Buffer.from(hideSecrets(text));
    const kept = bytes.subarray(Math.max(0, bytes.length - this.limit));
    try {
      if (this.size + kept.length > this.limit) {
        renameSync(this.path, `${this.path}.1`);
        this.size = 0;
      }
      appendFileSync(this.path, kept, { mode: 0o600 });
      this.size += kept.length;
    } catch {
      this.size = 0; // The file was removed, or the disk is full: the host goes on without it.
    }
  }

  /** Writes what this process prints from now on; where `stream` is a terminal, it gets the text, too. */
  takeOver(...streams: readonly NodeJS.WriteStream[]): void {
    for (const stream of streams) {
      const write = stream.write.bind(stream);
      const log = this.write.bind(this);
      Object.assign(stream, {
        write(chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean {
          log(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
          if (stream.isTTY) return (write as (...given: readonly unknown[]) => boolean)(chunk, ...rest);
          const done = rest.at(-1);
          if (typeof done === 'function') queueMicrotask(done as () => void);
          return true;
        },
      });
    }
  }
}
