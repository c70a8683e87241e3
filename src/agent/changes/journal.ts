import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { parse } from '../../base/json/schema';
import { BlobStore } from './blob-store';
import { Type } from '@sinclair/typebox';
import { StoredChangeSchema, StoredKeepSchema, type ChangeRecord, type StoredChange, type StoredKeep } from './record';

/** Sessions whose files did not change for this time are forgotten, in ms. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const JOURNAL = 'journal.jsonl';

const LineSchema = Type.Union([StoredChangeSchema, StoredKeepSchema]);

/**
 * Which files were changed by which tool call, and which changes the user keeps, across windows: per session a folder with an append-only journal
 * and the bytes it mentions. A line that cannot be read is skipped; the others count.
 */
export class ChangeJournal {
  private readonly stores = new Map<string, BlobStore>();
  private readonly list: ChangeRecord[] = [];
  /** See {@link keyOf}. */
  private readonly kept = new Set<string>();
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly dir: string,
    private readonly log: Log,
  ) {}

  /** Reads what earlier windows wrote. Never rejects. */
  static async open(dir: string, log: Log, now = Date.now()): Promise<ChangeJournal> {
    const journal = new ChangeJournal(dir, log);
    const names = await readdir(dir).catch(() => [] as string[]); // Nothing was changed here yet.
    const found: (StoredChange | StoredKeep)[] = [];
    for (const name of names) found.push(...(await journal.readSession(join(dir, name), now)));
    found.sort((a, b) => a.at - b.at);
    for (const line of found) journal.take(line);
    return journal;
  }

  /** Oldest first. */
  get records(): readonly ChangeRecord[] {
    return this.list;
  }

  blobs(session: string): BlobStore {
    let store = this.stores.get(session);
    if (store === undefined) {
      store = new BlobStore(join(this.folderOf(session), 'blobs'));
      this.stores.set(session, store);
    }
    return store;
  }

  /** Adds changes at once; resolves when they are on disk, or when the failure to write them was reported. */
  append(changes: readonly StoredChange[]): Promise<void> {
    for (const change of changes) this.take(change);
    const sessions = new Set(changes.map(({ session }) => session));
    this.writing = this.writing.then(async () => {
      for (const session of sessions) {
        await this.write(
          session,
          changes.filter(change => change.session === session),
        );
      }
    });
    return this.writing;
  }

  /** Notes in the journal of a session that the user keeps these changes; resolves as {@link append} does. */
  keep(session: string, changes: readonly StoredChange[], at: number): Promise<void> {
    const keeps = changes.map((change): StoredKeep => ({
      at,
      kind: 'keep',
      kept: { at: change.at, session: change.session, call: change.call, path: change.path },
    }));
    for (const keep of keeps) this.take(keep);
    this.writing = this.writing.then(() => this.write(session, keeps));
    return this.writing;
  }

  /** Whether the user keeps this change. */
  isKept(change: StoredChange): boolean {
    return this.kept.has(keyOf(change));
  }

  private async write(session: string, changes: readonly (StoredChange | StoredKeep)[]): Promise<void> {
    try {
      const folder = this.folderOf(session);
      await mkdir(folder, { recursive: true });
      // The line break comes first, so that a line that a crash cut does not damage the next one.
      const lines = changes.map(change => `\n${JSON.stringify(change)}`).join('');
      await appendFile(join(folder, JOURNAL), lines, { mode: 0o600 });
    } catch (error) {
      this.log.error(`The list of changed files could not be written: ${messageOf(error)}`, error);
    }
  }

  private take(line: StoredChange | StoredKeep): void {
    if (line.kind === 'keep') this.kept.add(keyOf(line.kept));
    else this.list.push({ ...line, seq: this.list.length });
  }

  private async readSession(folder: string, now: number): Promise<(StoredChange | StoredKeep)[]> {
    try {
      const file = join(folder, JOURNAL);
      // The folder may have bytes without a journal: they are written before the first change.
      const written = await stat(file).catch(() => undefined);
      const { mtimeMs } = written ?? (await stat(folder));
      if (now - mtimeMs > KEPT_MS) {
        await rm(folder, { recursive: true, force: true });
        return [];
      }
      if (written === undefined) return [];
      return (await readFile(file, 'utf8')).split('\n').flatMap(line => this.readLine(line, file));
    } catch (error) {
      this.log.warn(`Changes of an earlier session could not be read from ${folder}: ${messageOf(error)}`);
      return [];
    }
  }

  private readLine(line: string, file: string): (StoredChange | StoredKeep)[] {
    if (line.trim() === '') return [];
    try {
      const read = parse(LineSchema, JSON.parse(line));
      if (read.ok) return [read.value];
    } catch {
      // Not JSON: reported below, like any other line that is not ours.
    }
    this.log.warn(`A line of ${file} is damaged; that change cannot be reverted.`);
    return [];
  }

  private folderOf(session: string): string {
    return join(this.dir, session.replace(/[^\w.-]/g, '_').slice(0, 120));
  }
}

/** Ids of calls are not unique across sessions, and one call may change several files. */
function keyOf({ at, session, call, path }: StoredKeep['kept']): string {
  return JSON.stringify([at, session, call, path]);
}
