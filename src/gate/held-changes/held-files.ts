import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { defined } from '../../base/defined';
import { addKeeper, watchedName, type CountedText, type TextKeeper } from '../../base/files/counted-text';
import type { Disposable } from '../../base/disposable';
import { isCode, messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { readRegularTextSync } from '../../base/files/regular-file';
import { hashOf } from '../../base/files/hash-of';
import type { ApprovedFile } from '../approval-store/approval-record';
import { PLACES, type ApprovalStore, type PlaceName } from '../approval-store/approval-store';

/** A file that says what Hookline trusts, allows or runs. */
export interface WatchedFile {
  /** Absolute. */
  readonly path: string;
  readonly place: PlaceName;
  /** Its name in the record, whichever links lead to its folder. */
  readonly name: string;
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
  /** Whether what this process writes counts at once. False where a tool call started it. */
  readonly mayDecide: () => boolean;
  readonly log: Log;
}

/** What is on disk; `unreadable`: it is there, and nobody can tell what it says. */
type OnDisk = { readonly type: 'text'; readonly text: string } | { readonly type: 'missing' | 'unreadable' };

/** Those of this process with an open call, which may remove what is stored about it. */
const calling = new Set<HeldFiles>();

/**
 * Holds changes of watched files as changes of hooks are held. What changes while a call of an agent is open, in any
 * process, or until what it left running has ended, does not count until the user accepts it; what changes at another
 * time counts at once. The file on disk stays as it is: readers get the text that counts (`readCountedText`).
 */
export class HeldFiles implements TextKeeper, Disposable {
  private readonly changeEmitter = new Emitter<void>();
  /** Fired when a change begins or ceases to wait. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly keeping: Disposable;
  /** Names of files. */
  private waiting: ReadonlySet<string> = new Set();
  /** What waited when listeners were told last. */
  private told = '';
  /** The rows of a place whose record this process must not or cannot write. */
  private readonly unwritten = new Map<PlaceName, readonly ApprovedFile[]>();
  /** The rows of each place as this process saw them last: a call may remove what is stored. */
  private readonly seen = new Map<PlaceName, readonly ApprovedFile[]>();
  /** The texts of these rows by their hashes. */
  private readonly texts = new Map<string, string>();

  constructor(private readonly parts: HeldFilesParts) {
    this.keeping = addKeeper(this);
    this.check();
  }

  /** The changes that wait. */
  get held(): readonly HeldFile[] {
    return this.parts.files
      .filter(({ name }) => this.waiting.has(name))
      .map(file => {
        const disk = onDisk(file.path);
        const held = disk.type === 'text' ? partOf(file, disk.text) : undefined;
        return { path: file.path, place: file.place, approved: this.approvedPart(file), held };
      });
  }

  /** Compares the files with what was accepted. */
  check(): void {
    for (const place of PLACES) this.checkPlace(place);
    this.tellChanges();
  }

  /** Call this before the first call of a round: what was changed before still counts at once. */
  beginCalls(): void {
    this.check();
    calling.add(this);
  }

  /** Call this when no process of the round is left, after the files were checked. */
  endCalls(): void {
    calling.delete(this);
  }

  /** Whether a call is open in this process, in a folder that has the files of the place, too. */
  isCallOpen(place: PlaceName): boolean {
    const own = this.pathsIn(place);
    return [...calling].some(each => each.pathsIn(place).some(path => own.includes(path)));
  }

  textOf(path: string): CountedText | undefined {
    const file = this.fileAt(path);
    if (file === undefined) return undefined;
    const disk = this.checkPlace(file.place, file.name);
    this.tellChanges();
    if (!this.waiting.has(file.name)) return disk?.type === 'text' ? { text: disk.text } : undefined;
    const approved = this.approvedPart(file);
    if (file.part === undefined) return { text: approved };
    return { text: disk?.type === 'text' ? file.part.without(disk.text, approved ?? '') : undefined };
  }

  wrote(path: string, text: string): void {
    const file = this.fileAt(path);
    if (file === undefined) return;
    if (this.parts.mayDecide()) this.accept(file, partOf(file, text));
    this.check();
  }

  isHeld(path: string): boolean {
    const file = this.fileAt(path);
    if (file === undefined || file.part !== undefined) return false;
    this.checkPlace(file.place);
    return this.waiting.has(file.name);
  }

  /** The user accepts the file with the content that was shown; returns false if it has another one by now. */
  approve({ path, held }: HeldFile): boolean {
    const file = this.fileAt(path);
    const disk = onDisk(path);
    const now = file !== undefined && disk.type === 'text' ? partOf(file, disk.text) : undefined;
    if (file === undefined || disk.type === 'unreadable' || now !== held) return false;
    this.accept(file, held);
    this.check();
    return true;
  }

  /** The user rejects the change: puts back what counts. Rejects when nobody knows it, or the file cannot be written. */
  async reject({ path }: HeldFile): Promise<void> {
    const file = this.fileAt(path);
    if (file === undefined || !this.waiting.has(file.name)) return;
    const row = this.rowOf(file);
    const isLost = row?.hash !== undefined && this.approvedPart(file) === undefined;
    if (row?.isUnknown === true || isLost) {
      throw new Error(l10n.t('The record of what it said before is missing. Correct the file, then accept it.'));
    }
    const { text } = this.textOf(path) ?? {};
    if (text === undefined) await rm(path, { force: true, recursive: true });
    else await replaceFile(path, text, 0o600);
    this.check();
  }

  dispose(): void {
    calling.delete(this);
    this.keeping.dispose();
    this.changeEmitter.dispose();
  }

  /** The watched file at a path, by whichever links it leads there; links may have changed. */
  private fileAt(path: string): WatchedFile | undefined {
    const { files } = this.parts;
    const named = files.find(file => file.path === path);
    if (named !== undefined) return named;
    const name = watchedName(path);
    return files.find(file => watchedName(file.path) === name);
  }

  private pathsIn(place: PlaceName): readonly string[] {
    return this.parts.files.flatMap(file => (file.place === place ? [file.path] : []));
  }

  private accept({ place, name }: WatchedFile, part: string | undefined): void {
    const row: ApprovedFile = part === undefined ? { path: name } : { path: name, hash: this.keep(part) };
    this.remember(place, rows => [...rows.filter(({ path }) => path !== name), row]);
  }

  /** Returns what was on disk of the file with the name `wanted`. */
  private checkPlace(place: PlaceName, wanted?: string): OnDisk | undefined {
    const { rows, isAtCall, isGone } = this.known(place);
    const names = new Set<string>();
    let found: OnDisk | undefined;
    const next: ApprovedFile[] = [];
    for (const file of this.parts.files) {
      const { name } = file;
      if (file.place !== place) continue;
      names.add(name);
      const disk = onDisk(file.path);
      if (name === wanted) found = disk;
      const part = disk.type === 'text' ? partOf(file, disk.text) : undefined;
      const row = rowAfter(
        name,
        rows.find(({ path }) => path === name),
        { disk, part, isAtCall },
      );
      next.push(row);
      if (part !== undefined && row.held !== true) this.keep(part);
    }
    this.waiting = new Set([
      ...[...this.waiting].filter(name => !names.has(name)),
      ...next.flatMap(({ path, held }) => (held === true ? [path] : [])),
    ]);
    // If another process wrote the record meanwhile, the next check decides.
    if (isGone || !isSame(next, rows)) this.remember(place, now => (isSame(now, rows) ? next : now));
    return found;
  }

  private keep(part: string): string {
    const hash = hashOf(part);
    this.texts.set(hash, part);
    return hash;
  }

  private known(place: PlaceName): {
    readonly rows: readonly ApprovedFile[];
    readonly isAtCall: boolean;
    /** Whether the rows must be written again. */
    readonly isGone: boolean;
  } {
    const { files, isAtCall } = this.parts.store.read()[place];
    const isOpen = isAtCall || this.isCallOpen(place);
    const [unwritten, seen] = [this.unwritten.get(place), this.seen.get(place)];
    if (unwritten !== undefined) return { rows: unwritten, isAtCall: isOpen, isGone: false };
    if (files === 'lost' || files.length === 0) {
      return { rows: seen ?? [], isAtCall: isOpen || files === 'lost', isGone: seen !== undefined };
    }
    this.seen.set(place, files);
    return { rows: files, isAtCall: isOpen, isGone: false };
  }

  /** Updates the rows of a place, with the texts that they name. */
  private remember(place: PlaceName, change: (rows: readonly ApprovedFile[]) => readonly ApprovedFile[]): void {
    const { store, writes, log } = this.parts;
    const next = change(this.known(place).rows);
    this.seen.set(place, next);
    if (!writes) {
      this.unwritten.set(place, next);
      return;
    }
    const texts = next.flatMap(({ hash }) => (hash === undefined ? [] : (this.texts.get(hash) ?? [])));
    try {
      store.rememberFiles(place, texts, rows => (rows.length === 0 ? next : change(rows)));
      this.unwritten.delete(place);
    } catch (error) {
      log.error(`The record of settings files could not be saved: ${messageOf(error)}`, error);
      this.unwritten.set(place, next);
    }
  }

  private rowOf({ place, name }: WatchedFile): ApprovedFile | undefined {
    return this.known(place).rows.find(({ path }) => path === name);
  }

  private approvedPart(file: WatchedFile): string | undefined {
    const hash = this.rowOf(file)?.hash;
    return hash === undefined ? undefined : (this.texts.get(hash) ?? this.parts.store.textWith(file.place, hash));
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

/** The next row of a file. */
function rowAfter(path: string, row: ApprovedFile | undefined, { disk, part, isAtCall }: FileNow): ApprovedFile {
  if (disk.type === 'unreadable') {
    if (!isAtCall) return { ...row, path, isUnreadable: true };
    return row?.isUnreadable === true ? row : { ...row, path, held: true };
  }
  const now: ApprovedFile = part === undefined ? { path } : { path, hash: hashOf(part) };
  // A record is written before a call begins, so one that is missing during a call was removed.
  if (row === undefined) return isAtCall && part !== undefined ? { path, held: true, isUnknown: true } : now;
  const { hash, held, isUnknown } = row;
  const isAsBefore = hash === now.hash && (isUnknown !== true || part === undefined);
  return isAsBefore || !(isAtCall || held === true) ? now : { path, held: true, ...defined({ hash, isUnknown }) };
}

function isSame(rows: readonly ApprovedFile[], others: readonly ApprovedFile[]): boolean {
  const has = (row: ApprovedFile): boolean => others.some(other => isDeepStrictEqual(row, other));
  return rows.length === others.length && rows.every(has);
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
