import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { isCode } from '../../../base/errors';
import { readRegularText } from '../../../base/files/regular-file';
import { parse } from '../../../base/json/schema';
import { inUse, SessionLock } from '../file/lock';

/** How long a deleted session can be brought back, ms: thirty days. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const NoteSchema = Type.Object({
  /** Absolute path it had. */
  file: Type.String(),
  title: Type.String(),
  /** ISO 8601. */
  deletedAt: Type.String(),
});

/** A session that was deleted and can be brought back. */
export type DeletedSession = Readonly<Static<typeof NoteSchema>> & { readonly id: string };

/** Deleted session files, kept in a separate folder for some time. */
export class SessionTrash {
  constructor(
    /** Absolute; made when it is needed. */
    private readonly dir: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Takes a session file (absolute path) out of its folder. Sessions that have been here for more than thirty days are deleted permanently.
   * @throws {SessionInUseError} when someone else writes to it; Error when there is no such file
   */
  async put(file: string, title: string): Promise<DeletedSession> {
    const lock = await SessionLock.acquire(file);
    if (!(lock instanceof SessionLock)) throw inUse(lock);
    try {
      await this.purge();
      await mkdir(this.dir, { recursive: true });
      const id = randomUUID();
      const note = { file, title, deletedAt: new Date(this.now()).toISOString() };
      await writeFile(this.notePath(id), JSON.stringify(note), { mode: 0o600 });
      try {
        await move(file, this.path(id));
      } catch (error) {
        await rm(this.notePath(id), { force: true });
        throw error;
      }
      return { id, ...note };
    } finally {
      await lock.release();
    }
  }

  /** Puts a session back in its place. Rejects if a file is there now, or if the session was deleted permanently. */
  async restore({ id, file }: DeletedSession): Promise<void> {
    await mkdir(dirname(file), { recursive: true });
    await copyFile(this.path(id), file, constants.COPYFILE_EXCL);
    await this.forget(id);
  }

  /** Newest first. */
  async list(): Promise<readonly DeletedSession[]> {
    const notes = await Promise.all((await this.ids()).map(id => this.note(id)));
    return notes
      .filter(note => note !== undefined)
      .sort((a, b) => b.deletedAt.localeCompare(a.deletedAt) || a.id.localeCompare(b.id));
  }

  private async purge(): Promise<void> {
    for (const { id, deletedAt } of await this.list()) {
      if (this.now() - Date.parse(deletedAt) > KEPT_MS) await this.forget(id);
    }
  }

  private async forget(id: string): Promise<void> {
    await rm(this.path(id), { force: true });
    await rm(this.notePath(id), { force: true });
  }

  private async ids(): Promise<readonly string[]> {
    try {
      return (await readdir(this.dir)).filter(name => name.endsWith('.jsonl')).map(name => name.slice(0, -6));
    } catch (error) {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** Undefined for a file whose note is missing or invalid: its original place is not known. */
  private async note(id: string): Promise<DeletedSession | undefined> {
    try {
      const read = parse(NoteSchema, JSON.parse(await readRegularText(this.notePath(id))));
      return read.ok ? { id, ...read.value } : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || isCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  private path(id: string): string {
    return join(this.dir, `${id}.jsonl`);
  }

  private notePath(id: string): string {
    return join(this.dir, `${id}.json`);
  }
}

/** Across disks too, where a rename is refused. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isCode(error, 'EXDEV')) throw error;
    await copyFile(from, to);
    await rm(from);
  }
}
