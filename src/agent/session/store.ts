import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Emitter } from '../../base/event';
import type { Problem } from '../../base/result';
import {
  AppendableSession,
  newHeader,
  sessionFileName,
  SessionReadOnlyError,
  type NewCompaction,
} from './appendable-session';
import { encodeLine } from './file/codec';
import { SESSION_VERSION, type EntryId, type SessionHeader, type StoredEntry } from './entry';
import { copySession, type CopyPlan } from './fork';
import type { ReadAccess, SessionAccess } from './file/access';
import { SessionFile, SessionNotFound } from './file/session-file';
import { EntryTree, rangeOf, type EntryNode } from './tree';

export interface CreateOptions {
  /** Folder of the session files, absolute; made when the first line is written. */
  readonly dir: string;
  readonly cwd: string;
  readonly parentSession?: string;
  /** A new one when absent. */
  readonly id?: string;
  /** Version of the format, for a copy of lines in a later format; today's when absent. */
  readonly version?: number;
}

/** Where a copy is created; absent members are those of the original. */
export type ForkPlace = Partial<Pick<CreateOptions, 'dir' | 'cwd' | 'id'>>;

export interface OpenOptions {
  /** Read only: takes no lock and cannot append. */
  readonly readOnly?: boolean;
  /** Begin a session of this folder in the file when it does not exist or is empty. */
  readonly cwd?: string;
  /** Counts as the session's folder while it is open; its file keeps its own folder. */
  readonly standIn?: string;
}

interface Origin {
  readonly header: SessionHeader | undefined;
  readonly dir: string;
  readonly tree: EntryTree;
  readonly file?: SessionFile;
  readonly standIn?: string | undefined;
}

/**
 * One session: a tree of entries, a leaf that new entries are appended to, and (unless in memory) an append-only file
 * in pi's format. Appends are synchronous for the caller and O(1); their lines are written in order afterwards, see
 * {@link flush}.
 */
export class SessionStore extends AppendableSession {
  private readonly complained = new Emitter<Problem>();
  private readonly lost = new Emitter<ReadAccess>();
  private readonly dir: string;
  private readonly standIn: string | undefined;

  private constructor(origin: Origin) {
    super(origin.header, origin.tree, origin.file);
    this.dir = origin.dir;
    this.standIn = origin.standIn;
    origin.file?.onDidLose(access => this.lost.fire(access));
  }

  /** What goes wrong after opening: failed writes, entries found unreadable later, other writers. */
  readonly onDidComplain = this.complained.event;

  /** Another process gets the right to write, which was here before. */
  readonly onDidLose = this.lost.event;

  /** A new session; its file appears with the first entry of a conversation. */
  static create(options: CreateOptions): SessionStore {
    const header = newHeader(options.cwd, options.parentSession, options.id, options.version);
    return SessionStore.unborn(join(options.dir, sessionFileName(header)), header);
  }

  /** A session without a file (`--no-session`). */
  static inMemory(cwd: string, parentSession?: string, id?: string): SessionStore {
    return new SessionStore({ header: newHeader(cwd, parentSession, id), dir: '', tree: new EntryTree() });
  }

  /**
   * Opens a session file in any state: readable entries are available, the rest is in {@link problems}. Read-only, with
   * the reason in {@link access}, when its head is unreadable or someone else writes to it. Rejects only when there is
   * no such file (and `cwd` is not given) or the system does not let us read it.
   */
  static async open(path: string, options: OpenOptions = {}): Promise<SessionStore> {
    const mode = options.readOnly === true ? 'readOnly' : 'write';
    const tree = new EntryTree();
    let store: SessionStore | undefined;
    const report = (problem: Problem): void => {
      store?.complained.fire(problem);
    };
    try {
      const file = await SessionFile.load(path, tree, mode, report);
      if (!file.header && file.access.kind === 'write') file.header = newHeader(options.cwd ?? '');
      const { standIn } = options;
      store = new SessionStore({ header: file.header, dir: dirname(path), tree, file, standIn });
      return store;
    } catch (error) {
      if (!(error instanceof SessionNotFound) || options.cwd === undefined) throw error;
      return SessionStore.unborn(path, newHeader(options.cwd));
    }
  }

  /**
   * {@link open} for a conversation that continues: a session whose head cannot be read continues in a copy of its
   * readable entries, in the same place, with the folder `cwd`; the file itself stays unchanged. {@link problems} of
   * the copy reports that.
   */
  static async openToGoOn(path: string, cwd: string, options: OpenOptions = {}): Promise<SessionStore> {
    const damaged = await SessionStore.open(path, options);
    const { access } = damaged;
    const isHeadless = access.kind === 'read' && access.cause === 'damaged' && damaged.getNodes().length > 0;
    if (!isHeadless) return damaged;
    const copy = await damaged.forkTo({ cwd });
    await damaged.dispose();
    const message = `${access.reason} in ${path}. The session continues in a copy of the readable part; that file does not change`;
    copy.file?.report({ message });
    return copy;
  }

  private static unborn(path: string, header: SessionHeader): SessionStore {
    const tree = new EntryTree();
    const report = (problem: Problem): void => {
      store.complained.fire(problem);
    };
    const file = SessionFile.fresh(path, header, report, tree);
    const store = new SessionStore({ header, dir: dirname(path), tree, file });
    return store;
  }

  /** A session that began elsewhere and is not on disk yet. `path`: where its file will be; absolute. */
  static begunAs(header: SessionHeader, entries: readonly StoredEntry[], path: string | undefined): SessionStore {
    const store =
      path === undefined
        ? new SessionStore({ header, dir: '', tree: new EntryTree() })
        : SessionStore.unborn(path, header);
    for (const entry of entries) store.importEntry(entry);
    return store;
  }

  /** Whether appends are possible, and if not, why. */
  get access(): SessionAccess {
    return this.file?.access ?? { kind: 'write' };
  }

  /** The problems of the file so far, with line numbers. */
  get problems(): readonly Problem[] {
    return this.file?.problems ?? [];
  }

  /** Takes the lock from its holder; reads the file again and moves the leaf to its end. */
  async takeOver(): Promise<void> {
    if (!this.file) return;
    const unsaved = this.tree.nodes.filter(node => node.entry && !rangeOf(node));
    const path = this.file.path;
    await this.file.dispose();
    const tree = new EntryTree();
    const report = (problem: Problem): void => {
      this.complained.fire(problem);
    };
    this.file = await SessionFile.load(path, tree, 'takeOver', report);
    this.file.onDidLose(access => this.lost.fire(access));
    this.header = this.file.header ?? this.header;
    this.reset(tree);
    for (const { entry } of unsaved) if (entry && !tree.get(entry.id)) this.take(entry, encodeLine(entry));
    this.leafId = tree.last?.id ?? null;
  }

  /** Resolves when everything appended so far is in the file; rejects with the reason why it is not. */
  flush(): Promise<void> {
    return this.file?.flush() ?? Promise.resolve();
  }

  /** {@link access}, after a look at the file; see {@link SessionFile.confirmAccess}. */
  async confirmAccess(): Promise<SessionAccess> {
    return (await this.file?.confirmAccess()) ?? this.access;
  }

  /**
   * Writes the remaining lines, releases the file and ends all events. Never rejects; {@link flush} reports failures.
   */
  async dispose(): Promise<void> {
    await this.file?.dispose();
    this.appended.dispose();
    this.complained.dispose();
    this.lost.dispose();
  }

  appendCompaction(compaction: NewCompaction): EntryId {
    return this.addCompaction(compaction);
  }

  /** Copies an entry with its id and parent; for forks. `line` is its text with newline when that is in memory. */
  importEntry(entry: StoredEntry, line = encodeLine(entry)): void {
    this.assertWritable();
    this.take(entry, line);
  }

  /**
   * The path up to before (or, with `at`, to) an entry as a new session naming this one as its parent.
   */
  fork(entryId: string, position: 'before' | 'at' = 'before'): Promise<SessionStore> {
    const node = this.require(entryId);
    const end = position === 'at' ? node : node.parent;
    const copy = this.emptyFork();
    const plan = { nodes: this.tree.path(end?.id ?? null), labelsLast: true };
    return this.copyInto(copy, plan);
  }

  /**
   * Copies all readable entries of all branches to a new session with this one as its parent; for files that are
   * damaged or locked by others.
   */
  async forkTo(options: ForkPlace = {}): Promise<SessionStore> {
    const copy = this.emptyFork(options);
    await this.copyInto(copy, { nodes: this.tree.nodes, labelsLast: false });
    copy.leafId = this.leafId;
    return copy;
  }

  override getCwd(): string {
    return this.standIn ?? super.getCwd();
  }

  override getSessionFile(): string | undefined {
    return this.file?.path;
  }

  override getSessionDir(): string {
    return this.dir;
  }

  /**
   * @internal The line of an entry as it is in the file, newline included, if it still says what the entry says.
   */
  lineOf(node: EntryNode): string | undefined {
    const text = this.file?.verbatim(node);
    return text === undefined ? undefined : `${text}\n`;
  }

  /** Fills a copy that is not on disk yet. When that fails, no part of it stays there. */
  private async copyInto(copy: SessionStore, plan: CopyPlan): Promise<SessionStore> {
    try {
      await copySession(this, copy, plan);
      return copy;
    } catch (error) {
      await copy.dispose();
      if (copy.file) await rm(copy.file.path, { force: true }).catch(() => undefined); // The first error is reported.
      throw error;
    }
  }

  private emptyFork(options: ForkPlace = {}): SessionStore {
    const cwd = options.cwd ?? this.getCwd();
    if (!this.file) return SessionStore.inMemory(cwd);
    const version = this.getHeader()?.version ?? SESSION_VERSION;
    return SessionStore.create({
      ...options,
      dir: options.dir ?? this.dir,
      cwd,
      parentSession: this.file.path,
      version,
    });
  }

  protected override read(node: EntryNode): StoredEntry | undefined {
    return this.file ? this.file.read(node) : node.entry;
  }

  protected override readOnce(node: EntryNode): StoredEntry | undefined {
    return this.file ? this.file.readOnce(node) : node.entry;
  }

  protected override assertWritable(): void {
    if (this.access.kind === 'read') {
      throw new SessionReadOnlyError(`Session ${this.file?.path ?? ''} is read-only: ${this.access.reason}`);
    }
  }
}
