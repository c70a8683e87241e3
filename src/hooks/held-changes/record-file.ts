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
import { hashOf } from '../load/compile/compile-cache';
import type { HookSource } from '../load/hook-module';
import { RecordSchema, type ApprovalRecord } from './approval-record';

/** What a place's record says; `missing` and `damaged` are not the same as a record that names nothing. */
export type RecordRead =
  | { readonly type: 'record'; readonly record: ApprovalRecord }
  | { readonly type: 'missing' }
  | { readonly type: 'damaged' };

/** Tries of a write while other processes write, too. */
const TRIES = 100;

/** How long a text stays although no record names it, ms. */
const KEPT_UNNAMED_MS = 3_600_000;

/**
 * The record of one place, and the texts that it names, in a folder of its own that several processes share. Each write
 * is a new file with the next number, which only one process can make; the one before goes after that. So there is no lock
 * to be left behind, and a process that is killed leaves the old record or the new one.
 */
export class RecordFile {
  /** `dir` is absolute; nothing is made before the first write. */
  constructor(private readonly dir: string) {}

  read(): RecordRead {
    return this.latest().read;
  }

  /**
   * Writes what `change` makes of the record as it is then; it may be asked several times. Nothing is written when it
   * makes the same, or undefined. Throws when the disk refuses.
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

  /** The text of this hash; undefined when it is not kept, or damaged. */
  text(hash: string): string | undefined {
    try {
      const text = readFileSync(join(this.dir, 'texts', hash), 'utf8');
      return hashOf(text) === hash ? text : undefined;
    } catch {
      return undefined; // A kept text that is gone is reported where it is needed.
    }
  }

  /** Keeps texts; to be called before the record names them. Throws when the disk refuses. */
  keepTexts(sources: readonly Pick<HookSource, 'text' | 'hash'>[]): void {
    const folder = join(this.dir, 'texts');
    const kept = new Set(namesIn(folder));
    for (const { text, hash } of sources) {
      if (kept.has(hash)) continue;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const beside = join(folder, `${randomUUID()}.tmp`);
      writeFileSync(beside, text, { mode: 0o600 });
      renameSync(beside, join(folder, hash));
    }
  }

  private latest(): { readonly revision: number; readonly read: RecordRead } {
    for (let tries = 0; tries < TRIES; tries++) {
      const [revision] = revisionsIn(this.dir);
      if (revision === undefined) return { revision: 0, read: { type: 'missing' } };
      const text = this.textOfRevision(revision);
      // Gone since the folder was listed: there is a newer one.
      if (text !== undefined) return { revision, read: parsed(text) };
    }
    return { revision: revisionsIn(this.dir)[0] ?? 0, read: { type: 'damaged' } };
  }

  private textOfRevision(revision: number): string | undefined {
    try {
      return readFileSync(this.pathOf(revision), 'utf8');
    } catch (error) {
      return isCode(error, 'ENOENT') ? undefined : '';
    }
  }

  /** False when another process was first. */
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

  /** What nothing names any more goes, unless another process may be about to name it. */
  private dropTexts({ approved }: ApprovalRecord): void {
    const folder = join(this.dir, 'texts');
    const named = new Set(approved.flatMap(({ sources }) => sources.map(({ hash }) => hash)));
    for (const name of namesIn(folder)) {
      const age = Date.now() - (statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
      if (!named.has(name) && age > KEPT_UNNAMED_MS) rmSync(join(folder, name), { force: true });
    }
  }

  private pathOf(revision: number): string {
    return join(this.dir, `record-${revision}.json`);
  }
}

/** Makes the file under its new name, which must not exist; where the system has no links, by a rename. */
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
    return { type: 'damaged' }; // No JSON: whoever wrote that was not us.
  }
}

/** The newest first. */
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
    return []; // Not made yet, or it cannot be read: whoever asks takes that for missing.
  }
}
