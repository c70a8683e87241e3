import { rm } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { replaceFile } from '../../agent/tools/files/replace-file';
import { addKeeper, watchedName, type CountedText, type TextKeeper } from '../../base/counted-text';
import type { Disposable } from '../../base/disposable';
import { isCode, messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { readRegularTextSync } from '../../base/regular-file';
import { hashOf } from '../load/compile/hash-of';
import type { ApprovedFile } from './approval-record';
import { PLACES, type ApprovalStore, type PlaceName } from './approval-store';

/** A file that says what Hookline trusts, allows or runs. */
export interface WatchedFile {
  /** Absolute. */
  readonly path: string;
  readonly place: PlaceName;
  /** The part of its text whose changes wait; the whole text when absent. */
  readonly part?: WatchedPart;
}

/** A part of a file that can be compared, and left out, by itself. */
export interface WatchedPart {
  /** The part as a text. */
  of(text: string): string;
  /** The file with only what `approved`, a text of {@link of}, has of this part. */
  without(text: string, approved: string): string;
}

/** A change of a watched file that waits for the user. A text is undefined where there is no file. */
export interface HeldFile {
  /** Absolute. */
  readonly path: string;
  readonly place: PlaceName;
  /** What counts. */
  readonly approved: string | undefined;
  /** What is on disk. */
  readonly held: string | undefined;
}

export interface HeldFilesParts {
  /** Its own store: the calls of this process then count as those of every other. */
  readonly store: ApprovalStore;
  readonly files: readonly WatchedFile[];
  /** If false, the record is read but never written, as in a process that only tests hooks. */
  readonly writes: boolean;
  readonly log: Log;
}

/** What is on disk; `unreadable`: it is there, and nobody can tell what it says. */
type OnDisk = { readonly type: 'text'; readonly text: string } | { readonly type: 'missing' | 'unreadable' };

/**
 * Holds changes of watched files as changes of hooks are held. What changes while a call of an agent is open, in any
 * process, or until what it left running has ended, does not count until the user accepts it; what changes at another
 * time counts at once. The file on disk stays as it is: readers get the text that counts (`readCountedText`).
 */
export class HeldFiles implements TextKeeper, Disposable {
  private readonly byName: ReadonlyMap<string, WatchedFile>;
  private readonly changeEmitter = new Emitter<void>();
  /** Fired when a change begins or ceases to wait. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly keeping: Disposable;
  private waiting: ReadonlySet<string> = new Set();
  /** What waited when listeners were told last. */
  private told = '';
  /** The rows of a place whose record this process must not or cannot write. */
  private readonly unwritten = new Map<PlaceName, readonly ApprovedFile[]>();

  constructor(private readonly parts: HeldFilesParts) {
    this.byName = new Map(parts.files.map(file => [watchedName(file.path), file]));
    this.keeping = addKeeper(this);
    this.check();
  }

  /** The changes that wait. */
  get held(): readonly HeldFile[] {
    return [...this.waiting].flatMap(name => {
      const file = this.byName.get(name);
      if (file === undefined) return [];
      const disk = onDisk(file.path);
      const shown = disk.type === 'text' ? partOf(file, disk.text) : undefined;
      return [{ path: file.path, place: file.place, approved: this.approvedPart(file, name), held: shown }];
    });
  }

  /** Compares the files with what was accepted. Call this before a call begins, and before its round ends. */
  check(): void {
    for (const place of PLACES) this.checkPlace(place);
    this.tellChanges();
  }

  textOf(path: string): CountedText | undefined {
    const name = watchedName(path);
    const file = this.byName.get(name);
    if (file === undefined) return undefined;
    const disk = this.checkPlace(file.place, name);
    this.tellChanges();
    if (!this.waiting.has(name)) return disk?.type === 'text' ? { text: disk.text } : undefined;
    const approved = this.approvedPart(file, name);
    if (file.part === undefined) return { text: approved };
    return { text: disk?.type === 'text' ? file.part.without(disk.text, approved ?? '') : undefined };
  }

  wrote(path: string, text: string): void {
    const name = watchedName(path);
    const file = this.byName.get(name);
    if (file === undefined) return;
    const part = partOf(file, text);
    this.remember(file.place, [part], rows => [...without(rows, name), { path: name, hash: hashOf(part) }]);
    this.checkPlace(file.place);
    this.tellChanges();
  }

  /** The user accepts the file with the content that was shown; returns false if it has another one by now. */
  approve({ path, held }: HeldFile): boolean {
    const name = watchedName(path);
    const file = this.byName.get(name);
    const disk = onDisk(path);
    const now = file !== undefined && disk.type === 'text' ? partOf(file, disk.text) : undefined;
    if (file === undefined || disk.type === 'unreadable' || now !== held) return false;
    const row: ApprovedFile = held === undefined ? { path: name } : { path: name, hash: hashOf(held) };
    this.remember(file.place, held === undefined ? [] : [held], rows => [...without(rows, name), row]);
    this.check();
    return true;
  }

  /** The user rejects the change: puts back what counts. Rejects when nobody knows it, or the file cannot be written. */
  async reject({ path }: HeldFile): Promise<void> {
    const name = watchedName(path);
    if (!this.waiting.has(name)) return;
    const place = this.byName.get(name)?.place ?? 'user';
    if (this.known(place).rows.some(row => row.path === name && row.isUnknown === true)) {
      throw new Error(l10n.t('The record of what it said before is missing. Correct the file, then accept it.'));
    }
    const { text } = this.textOf(path) ?? {};
    if (text === undefined) await rm(path, { force: true, recursive: true });
    else await replaceFile(path, text, 0o600);
    this.check();
  }

  dispose(): void {
    this.keeping.dispose();
    this.changeEmitter.dispose();
  }

  /** Returns what was on disk of the file `wanted`. */
  private checkPlace(place: PlaceName, wanted?: string): OnDisk | undefined {
    const { rows, isAtCall } = this.known(place);
    const texts: string[] = [];
    let found: OnDisk | undefined;
    const next: ApprovedFile[] = [];
    for (const [name, file] of this.byName) {
      if (file.place !== place) continue;
      const disk = onDisk(file.path);
      if (name === wanted) found = disk;
      const part = disk.type === 'text' ? partOf(file, disk.text) : undefined;
      const row = rowAfter(
        name,
        rows.find(({ path }) => path === name),
        { disk, part, isAtCall },
      );
      if (row === undefined) continue;
      next.push(row);
      if (part !== undefined && row.held !== true) texts.push(part);
    }
    this.waiting = new Set([
      ...[...this.waiting].filter(name => this.byName.get(name)?.place !== place),
      ...next.flatMap(({ path, held }) => (held === true ? [path] : [])),
    ]);
    // If another process wrote the record meanwhile, the next check decides.
    if (!isSame(next, rows)) this.remember(place, texts, now => (isSame(now, rows) ? next : now));
    return found;
  }

  private known(place: PlaceName): { readonly rows: readonly ApprovedFile[]; readonly isAtCall: boolean } {
    const { files, isAtCall, memory } = this.parts.store.read()[place];
    // If a call removed what was stored, nobody knows when the files changed.
    return { rows: this.unwritten.get(place) ?? files, isAtCall: isAtCall || memory === 'lost' };
  }

  private remember(
    place: PlaceName,
    texts: readonly string[],
    change: (rows: readonly ApprovedFile[]) => readonly ApprovedFile[],
  ): void {
    const { store, writes, log } = this.parts;
    if (!writes) {
      this.unwritten.set(place, change(this.known(place).rows));
      return;
    }
    try {
      store.rememberFiles(place, texts, change);
    } catch (error) {
      log.error(`The record of settings files could not be saved: ${messageOf(error)}`, error);
      this.unwritten.set(place, change(this.known(place).rows));
    }
  }

  private approvedPart({ place }: WatchedFile, name: string): string | undefined {
    const row = this.known(place).rows.find(({ path }) => path === name);
    return row?.hash === undefined ? undefined : this.parts.store.textWith(place, row.hash);
  }

  private tellChanges(): void {
    const now = [...this.waiting].sort().join('\n');
    if (now === this.told) return;
    this.told = now;
    this.changeEmitter.fire();
  }
}

interface FileNow {
  readonly disk: OnDisk;
  readonly part: string | undefined;
  /** Whether what changed counts as the agent's. */
  readonly isAtCall: boolean;
}

/** The next row of a file; undefined while nothing is known of it. */
function rowAfter(
  path: string,
  row: ApprovedFile | undefined,
  { disk, part, isAtCall }: FileNow,
): ApprovedFile | undefined {
  if (disk.type === 'unreadable') return row !== undefined && isAtCall ? { ...row, held: true } : row;
  if (part === undefined && (row?.hash === undefined || !(isAtCall || row.held === true))) return { path };
  const now: ApprovedFile = part === undefined ? { path } : { path, hash: hashOf(part) };
  // A record is written before a call begins, so one that is missing during a call was removed.
  if (row === undefined) return isAtCall ? { path, held: true, isUnknown: true } : now;
  if (row.isUnknown !== true && row.hash === now.hash) return now;
  return isAtCall || row.held === true ? { ...row, held: true } : now;
}

function isSame(rows: readonly ApprovedFile[], others: readonly ApprovedFile[]): boolean {
  const has = ({ path, hash, held, isUnknown }: ApprovedFile): boolean =>
    others.some(
      other => other.path === path && other.hash === hash && other.held === held && other.isUnknown === isUnknown,
    );
  return rows.length === others.length && rows.every(has);
}

function without(rows: readonly ApprovedFile[], name: string): readonly ApprovedFile[] {
  return rows.filter(({ path }) => path !== name);
}

function partOf({ part }: WatchedFile, text: string): string {
  return part === undefined ? text : part.of(text);
}

function onDisk(path: string): OnDisk {
  try {
    return { type: 'text', text: readRegularTextSync(path) };
  } catch (error) {
    return { type: isCode(error, 'ENOENT') ? 'missing' : 'unreadable' };
  }
}
