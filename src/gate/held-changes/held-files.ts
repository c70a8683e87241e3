import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { InTurn } from '../../base/async/in-turn';
import { addKeeper, watchedName, type CountedText, type TextKeeper } from '../../base/files/counted-text';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { hashOf } from '../../base/files/hash-of';
import { regainAccess } from '../../base/files/regain-access';
import type { ApprovedFile } from '../approval-store/approval-record';
import { PLACES, type ApprovalStore, type PlaceName } from '../approval-store/approval-store';
import { ChangesOnDisk } from './changes-on-disk';
import { hasBase, isSame, onDisk, partOf, rowAfter, type OnDisk, type WatchedFile } from './watched-file';

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

/** How long a change of a file for others waits before it is undone, ms: a person may have saved it in the editor. */
const SAVE_MS = 300;

/** Those of this process with an open call, which may remove what is stored about it. */
const calling = new Set<HeldFiles>();

/**
 * Holds changes of watched files as changes of hooks are held. What changes while a call of an agent is open, in any
 * process, or until what it left running has ended, does not count until the user accepts it; what changes at another
 * time counts at once. The file on disk stays as it is: readers get the text that counts (`readCountedText`). Only a file that
 * other programs read is put back.
 */
export class HeldFiles implements TextKeeper, Disposable {
  private readonly changeEmitter = new Emitter<void>();
  /** Fired when a change begins or ceases to wait. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly putBackEmitter = new Emitter<string>();
  /** Fired with the path of a file for others, when a change of it was undone. */
  readonly onDidPutBack = this.putBackEmitter.event;
  private readonly turns = new InTurn();
  private readonly changes: ChangesOnDisk;
  private later: NodeJS.Timeout | undefined;
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
    const forOthers = parts.files.filter(({ isForOthers }) => isForOthers === true);
    this.changes = new ChangesOnDisk(
      forOthers.map(({ path }) => path),
      () => this.check(),
    );
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
    this.changes.watch();
  }

  /** Call this when no process of the round is left, after the files were checked. */
  endCalls(): void {
    calling.delete(this);
    this.changes.stop();
  }

  /** Undoes now what waits in files for others. Resolves with the paths of these files; what cannot be undone waits on. Never rejects. */
  putBack(): Promise<readonly string[]> {
    return this.turns.run(async () => {
      clearTimeout(this.later);
      this.later = undefined;
      if (!this.parts.writes) return [];
      this.check();
      const done: string[] = [];
      for (const file of this.undoable()) {
        // What waited because of another file may be as it was by now.
        if (!this.waiting.has(file.name)) continue;
        try {
          await this.restore(file);
          done.push(file.path);
          this.putBackEmitter.fire(file.path);
        } catch (error) {
          this.parts.log.error(
            `An agent changed ${file.path}, and it could not be put back: ${messageOf(error)}`,
            error,
          );
        }
      }
      return done;
    });
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
    return { text: this.textThatCounts(file, disk) };
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
    await this.restore(file);
  }

  dispose(): void {
    calling.delete(this);
    this.changes.stop();
    clearTimeout(this.later);
    this.putBackEmitter.dispose();
    this.keeping.dispose();
    this.changeEmitter.dispose();
  }

  /** The text that counts of a file with a change that waits. */
  private textThatCounts(file: WatchedFile, disk: OnDisk | undefined): string | undefined {
    const approved = this.approvedPart(file);
    const { part, isForOthers = false } = file;
    if (part === undefined) return approved;
    const merged = disk?.type === 'text' ? part.without(disk.text, approved ?? '') : undefined;
    if (!isForOthers || (merged !== undefined && partOf(file, merged) === approved)) return merged;
    const base = this.rowOf(file)?.base;
    return base === undefined ? undefined : this.storedText(file, base);
  }

  /** Gives a file the text that counts. Rejects when the disk does. */
  private async restore(file: WatchedFile): Promise<void> {
    const { path, mode = 0o600 } = file;
    await regainAccess(path);
    const disk = onDisk(path);
    const text = this.textThatCounts(file, disk);
    // What cannot be read has nothing that could be kept.
    if (text === undefined || disk.type === 'unreadable') await rm(path, { force: true, recursive: true });
    if (text !== undefined) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await replaceFile(path, text, mode);
    }
    this.check();
  }

  /** The files for others whose change can be undone. */
  private undoable(): readonly WatchedFile[] {
    return this.parts.files.filter(file => {
      if (file.isForOthers !== true || !this.waiting.has(file.name)) return false;
      const row = this.rowOf(file);
      const isLost = [row?.hash, row?.base].some(
        hash => hash !== undefined && this.storedText(file, hash) === undefined,
      );
      return row !== undefined && row.isUnknown !== true && !isLost;
    });
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
      const isNew = file.isForOthers === true && rows.length > 0;
      const base = hasBase(file) && disk.type === 'text' ? hashOf(disk.text) : undefined;
      const row = rowAfter(
        name,
        rows.find(({ path }) => path === name),
        { disk, part, base, isAtCall, isNew },
      );
      next.push(row);
      if (part !== undefined && row.held !== true) this.keep(part);
      if (disk.type === 'text' && row.base === base && base !== undefined) this.keep(disk.text);
    }
    // Those that another process watches, as in another home folder.
    next.push(...rows.filter(({ path }) => !names.has(path)));
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
    const hashes = next.flatMap(({ hash, base }) => [hash, base]).filter(hash => hash !== undefined);
    const texts = hashes.flatMap(hash => this.texts.get(hash) ?? []);
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
    return hash === undefined ? undefined : this.storedText(file, hash);
  }

  private storedText({ place }: WatchedFile, hash: string): string | undefined {
    return this.texts.get(hash) ?? this.parts.store.textWith(place, hash);
  }

  private tellChanges(): void {
    if (this.parts.writes && this.later === undefined && this.undoable().length > 0) {
      this.later = setTimeout(() => void this.putBack(), SAVE_MS).unref();
    }
    const now = [...this.waiting].sort().join('\n');
    if (now === this.told) return;
    this.told = now;
    this.changeEmitter.fire();
  }
}
