import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isCode } from '../../base/errors';
import { parse } from '../../base/json/schema';
import { hashOf } from '../../base/files/hash-of';
import type { HookSource } from '../../hook-load/graph/hook-source';
import { RecordSchema, type ApprovalRecord } from './approval-record';

/** The result of reading a record; a missing or damaged record is not the same as an empty one. */
export type RecordRead =
  | { readonly type: 'record'; readonly record: ApprovalRecord }
  | { readonly type: 'missing' }
  | { readonly type: 'damaged' };

/** How often a read or write is tried while other processes write. */
const TRIES = 100;

/** How long a text is kept although the record does not name it, in ms. */
const KEPT_UNNAMED_MS = 3_600_000;

/**
 * The record of one place and the texts that it names, in a folder that several processes share. Each write makes a new
 * file with the next number, which only one process can do; then the older file is removed. So no lock is needed that a
 * killed process could leave behind, and there is always either the old record or the new one.
 */
export class RecordFile {
  /** The text that was read last, and what it says: to check a long record takes longer than to read it. */
  private last: { readonly text: string; readonly read: RecordRead } | undefined;

  /** `dir` is absolute; it is made at the first write. */
  constructor(private readonly dir: string) {}

  read(): RecordRead {
    return this.latest().read;
  }

  /**
   * Writes the record that `change` makes from the current one; `change` may be called several times. Nothing is
   * written when it returns an equal record or undefined. Throws when writing fails.
   */
  update(change: (before: RecordRead) => ApprovalRecord | undefined): void {
    for (let tries = 0; tries < TRIES; tries++) {
      const { revision, read } = this.latest();
      const next = change(read);
      if (next === undefined || (read.type === 'record' && isDeepStrictEqual(read.record, next))) return;
      if (this.write(revision + 1, next)) return;
    }
    throw new Error(`Other processes keep writing to ${this.dir}.`);
  }

  /** The stored text with this hash; undefined when it is not stored or damaged. */
  text(hash: string): string | undefined {
    try {
      const text = readFileSync(join(this.dir, 'texts', hash), 'utf8');
      return hashOf(text) === hash ? text : undefined;
    } catch {
      return undefined; // The caller reports a missing text.
    }
  }

  /** Stores texts. Call this before the record names them. Throws when writing fails. */
  keepTexts(sources: readonly Pick<HookSource, 'text' | 'hash'>[]): void {
    const folder = join(this.dir, 'texts');
    const kept = new Set(namesIn(folder));
    for (const source of sources) {
      if (kept.has(source.hash)) continue;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const beside = join(folder, `${randomUUID()}.tmp`);
      writeFileSync(beside, source.text, { mode: 0o600 });
      renameSync(beside, join(folder, source.hash));
    }
  }

  private latest(): { readonly revision: number; readonly read: RecordRead } {
    for (let tries = 0; tries < TRIES; tries++) {
      const [revision] = revisionsIn(this.dir);
      if (revision === undefined) return { revision: 0, read: { type: 'missing' } };
      const text = this.textOfRevision(revision);
      // If the file was removed after the folder was listed, there is a newer one.
      if (text !== undefined) return { revision, read: this.parsed(text) };
    }
    return { revision: revisionsIn(this.dir)[0] ?? 0, read: { type: 'damaged' } };
  }

  private parsed(text: string): RecordRead {
    if (this.last?.text !== text) this.last = { text, read: parsed(text) };
    return this.last.read;
  }

  private textOfRevision(revision: number): string | undefined {
    try {
      return readFileSync(this.pathOf(revision), 'utf8');
    } catch (error) {
      return isCode(error, 'ENOENT') ? undefined : '';
    }
  }

  /** Returns false when another process has already written this revision. */
  private write(revision: number, record: ApprovalRecord): boolean {
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    const beside = join(this.dir, `${randomUUID()}.tmp`);
    try {
      writeFileSync(beside, JSON.stringify(record, undefined, 1), { mode: 0o600 });
      putInPlace(beside, this.pathOf(revision));
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false;
      throw error;
    } finally {
      rmSync(beside, { force: true });
    }
    for (const older of revisionsIn(this.dir)) if (older < revision) rmSync(this.pathOf(older), { force: true });
    this.dropTexts(record);
    return true;
  }

  /** Removes texts that the record does not name, except new ones, which another process may be about to name. */
  private dropTexts({ approved, files = [] }: ApprovalRecord): void {
    const folder = join(this.dir, 'texts');
    const named = new Set([
      ...approved.flatMap(({ sources }) => sources.map(({ hash }) => hash)),
      ...files.flatMap(({ hash = [] }) => hash),
    ]);
    for (const name of namesIn(folder)) {
      const age = Date.now() - (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
      if (!named.has(name) && age > KEPT_UNNAMED_MS) rmSync(join(folder, name), { force: true });
    }
  }

  private pathOf(revision: number): string {
    return join(this.dir, `record-${revision}.json`);
  }
}

/** Gives the file its new name, and throws if that exists: by a hard link, or by renaming if links are not possible. */
function putInPlace(beside: string, path: string): void {
  try {
    linkSync(beside, path);
  } catch (error) {
    if (isCode(error, 'EEXIST') || existsSync(path)) throw error;
    renameSync(beside, path);
  }
}

function parsed(text: string): RecordRead {
  try {
    const result = parse(RecordSchema, JSON.parse(text));
    return result.ok ? { type: 'record', record: result.value } : { type: 'damaged' };
  } catch {
    return { type: 'damaged' }; // Hookline writes only valid JSON.
  }
}

/** The numbers of the records in a folder, the newest first. */
function revisionsIn(dir: string): readonly number[] {
  return namesIn(dir)
    .flatMap(name => /^record-(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => other - one);
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // The folder does not exist or cannot be read; callers treat both as missing.
  }
}
