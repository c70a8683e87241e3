import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../../base/files/on-disk';

/**
 * Contents of files by the hash of their bytes, in one folder that all windows share. A content is written completely or not at
 * all.
 */
export class BlobStore {
  private readonly known = new Set<string>();

  constructor(private readonly dir: string) {}

  /** Keeps the bytes and gives their name; rejects when the disk refuses. */
  async put(bytes: Buffer): Promise<string> {
    const blob = blobName(bytes);
    if (this.known.has(blob)) return blob;
    const file = this.fileOf(blob);
    if (!(await exists(file))) {
      await mkdir(dirname(file), { recursive: true });
      const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
      try {
        await writeFile(temporary, bytes, { mode: 0o600 });
        await rename(temporary, file);
      } catch (error) {
        await unlink(temporary).catch(() => undefined); // Never written, or already in place.
        throw error;
      }
    }
    this.known.add(blob);
    return blob;
  }

  /** Undefined when there is no such blob, or it was damaged. */
  async get(blob: string): Promise<Buffer | undefined> {
    try {
      const bytes = await readFile(this.fileOf(blob));
      return blobName(bytes) === blob ? bytes : undefined;
    } catch {
      return undefined; // A kept text that is gone is reported where it is needed.
    }
  }

  private fileOf(blob: string): string {
    return join(this.dir, blob.slice(0, 2), blob.slice(2));
  }
}

/** The name under which bytes are kept. */
export function blobName(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
