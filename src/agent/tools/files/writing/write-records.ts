import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { isRunning, KnownProcessSchema, thisProcess } from '../../../../base/ending/known-process';
import { isCode } from '../../../../base/errors';
import { parse } from '../../../../base/json/schema';
import { readRegular } from '../../../../base/files/regular-file';

/** After this time, a write on another machine, and a record that was never completed, is over; ms. */
const LONGEST_WRITE_MS = 60 * 60 * 1000;
const MOST_BYTES = 1024 * 1024 * 1024;
const DRAFT = '.tmp';
const NEWLINE = 10;

/** The first line of a record; the bytes of both contents follow. */
const HeaderSchema = Type.Object({
  version: Type.Literal(1),
  path: Type.String(),
  /** ms since the epoch. */
  at: Type.Number(),
  /** Bytes. */
  sizes: Type.Object({ before: Type.Number(), after: Type.Number() }),
  process: KnownProcessSchema,
});

/** A file while its content is being replaced. */
export interface RecordedWrite {
  /** Absolute, without links. */
  readonly path: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

/** The record of a write that is not complete. */
export interface WriteRecord {
  /** To be called when the file has one of the two contents. Never rejects. */
  end(): Promise<void>;
}

/** A write whose process ended before it was complete. */
export interface OverdueWrite extends RecordedWrite {
  readonly id: string;
  /** ms since the epoch. */
  readonly at: number;
}

/**
 * The old and the new content of each file that is being written, readable only for the user, until the write is complete.
 * All processes share the folder.
 */
export class WriteRecords {
  /** `dir` is absolute. */
  constructor(private readonly dir: string) {}

  /** Resolves when the record is on the disk, whatever happens to the machine then. Rejects when it is not. */
  async begin({ path, before, after }: RecordedWrite): Promise<WriteRecord> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const id = randomUUID();
    const sizes = { before: before.length, after: after.length };
    const header: Static<typeof HeaderSchema> = { version: 1, path, at: Date.now(), sizes, process: thisProcess() };
    const draft = this.fileOf(id) + DRAFT;
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        for (const bytes of [Buffer.from(`${JSON.stringify(header)}\n`), before, after]) await file.appendFile(bytes);
        await syncFile(file);
      } finally {
        await file.close();
      }
      await rename(draft, this.fileOf(id));
      await syncFolder(this.dir);
      return { end: () => this.end(id) };
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Removes a record. Never rejects. */
  async end(id: string): Promise<void> {
    // A record that stays is removed at the next start, which finds that the file has one of both contents.
    await rm(this.fileOf(id), { force: true }).catch(() => undefined);
  }

  /** The writes of processes that have ended, the latest first. Never rejects. */
  async overdue(): Promise<readonly OverdueWrite[]> {
    const names = await readdir(this.dir).catch(() => [] as string[]); // Nothing was ever written.
    const found: OverdueWrite[] = [];
    for (const name of names) {
      if (name.endsWith(DRAFT)) {
        await this.dropDraft(name);
        continue;
      }
      const write = await this.read(name);
      if (write !== undefined) found.push(write);
    }
    return found.sort((one, other) => other.at - one.at);
  }

  /** Undefined when its process still runs, or another process has removed it. */
  private async read(id: string): Promise<OverdueWrite | undefined> {
    try {
      const bytes = await readRegular(this.fileOf(id), { most: MOST_BYTES });
      const start = bytes.indexOf(NEWLINE) + 1;
      const header = parse(HeaderSchema, JSON.parse(bytes.toString('utf8', 0, start)));
      if (!header.ok || !isOver(header.value)) return undefined;
      const { path, at, sizes } = header.value;
      const end = start + sizes.before;
      return { id, path, at, before: bytes.subarray(start, end), after: bytes.subarray(end, end + sizes.after) };
    } catch {
      return undefined; // Not ours, or gone.
    }
  }

  /** A file whose record was never completed was not changed. */
  private async dropDraft(name: string): Promise<void> {
    const path = join(this.dir, name);
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && Date.now() - info.mtimeMs > LONGEST_WRITE_MS) await rm(path, { force: true });
  }

  private fileOf(id: string): string {
    return join(this.dir, id);
  }
}

/** The records in the state folder of the user, whose absolute path is given. */
export function writeRecordsIn(stateDir: string): WriteRecords {
  return new WriteRecords(join(stateDir, 'unfinished-writes'));
}

/** Flushes what was written to the disk. Does nothing if the file system cannot do that. */
export async function syncFile(file: FileHandle): Promise<void> {
  await file.sync().catch((error: unknown) => {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].some(code => isCode(error, code))) throw error;
  });
}

/** Flushes the names in a folder to the disk. Windows cannot do that. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await syncFile(folder);
  } finally {
    await folder.close();
  }
}

/** Whether nobody writes the file any more. For a process on another machine, only the time tells that. */
function isOver({ process: writer, at }: Static<typeof HeaderSchema>): boolean {
  return writer.host === hostname() ? !isRunning(writer) : Date.now() - at > LONGEST_WRITE_MS;
}
