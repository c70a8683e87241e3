import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { deferred } from '../../base/async/wait';
import { resolveForWrite } from '../tools/files/paths';
import type { WriteRecords } from '../tools/files/writing/write-records';
import { readState, sameState, type FileState } from './file-state';
import {
  GitSnapshots,
  SNAPSHOT_LIMITS,
  SnapshotProblem,
  snapshotState,
  type SnapshotLimits,
  type TreeChange,
} from './git-snapshots';
import { ChangeJournal } from './journal';
import type { ChangeRecord, StoredChange } from './record';

export interface TrackerOptions {
  /** Where journals and snapshots are kept; absolute, outside of the folder. */
  readonly dir: string;
  /** Folder the agent works in; absolute. */
  readonly cwd: string;
  readonly log: Log;
  readonly limits?: SnapshotLimits;
  /** Where a file is recorded while a revert writes it; absent: nowhere. */
  readonly writeRecords?: WriteRecords;
  /** ms since the epoch; the clock when absent. */
  readonly now?: () => number;
}

/** A tool call that is about to change files. */
export interface TrackedCall {
  readonly session: string;
  readonly id: string;
  readonly tool: string;
  /** The one file it names, as the model wrote it. Absent: it may change any file. */
  readonly path?: string;
}

/** Number of failed snapshots in a row after which no more are taken. */
const MOST_FAILURES = 3;

/** Whether changes by commands are seen. `off` says why not. */
export type ChangeCoverage =
  | { readonly type: 'unknown' }
  | { readonly type: 'on'; readonly tooLarge: readonly string[] }
  | { readonly type: 'noRepository' }
  | { readonly type: 'off'; readonly why: string };

type Change = Pick<StoredChange, 'path' | 'before' | 'after' | 'or'>;

interface Running {
  readonly call: TrackedCall;
  readonly firstSeq: number;
  readonly tree: string | undefined;
}

/**
 * Keeps the content of files before tools change them: reads the file if the tool names it; for any other tool, takes
 * snapshots of the git work tree. One per folder and window; never rejects for what goes wrong with files.
 */
export class ChangeTracker {
  private readonly changeEmitter = new Emitter<string>();
  /** Fires with the id of a session that has new changes, or of which a changed file was saved by the user. */
  readonly onDidChange = this.changeEmitter.event;
  private snapshots: GitSnapshots | undefined;
  private failures = 0;
  private state: ChangeCoverage = { type: 'unknown' };
  private queue: Promise<unknown> = Promise.resolve();
  /** Aborts git commands when the window closes. */
  private readonly ending = new AbortController();
  /** Calls that may change any file. */
  private readonly running = new Set<Running>();
  /** Settles when every call so far is queued for its file. */
  private lining: Promise<unknown> = Promise.resolve();
  /** By path: settles when the last queued call for this file has ended. */
  private readonly files = new Map<string, Promise<void>>();

  private constructor(
    readonly journal: ChangeJournal,
    /** The real path of the folder. */
    private readonly realCwd: string,
    private readonly options: TrackerOptions,
  ) {}

  static async open(options: TrackerOptions): Promise<ChangeTracker> {
    const journal = await ChangeJournal.open(join(options.dir, 'sessions'), options.log);
    return new ChangeTracker(journal, await realNameOf(options.cwd), options);
  }

  get coverage(): ChangeCoverage {
    return this.state;
  }

  now(): number {
    return (this.options.now ?? Date.now)();
  }

  get cwd(): string {
    return this.options.cwd;
  }

  get writeRecords(): WriteRecords | undefined {
    return this.options.writeRecords;
  }

  /** Takes the first snapshot, which may take long, before a command needs it. */
  warm(): void {
    void this.enqueue(() => this.tree());
  }

  /** Call before a tool runs; call the returned function when the tool has ended. */
  async begin(call: TrackedCall): Promise<() => Promise<void>> {
    return call.path === undefined ? this.beginAny(call) : this.beginFile(call, call.path);
  }

  /** Adds changes that are no tool's, such as a revert. */
  async add(changes: readonly StoredChange[]): Promise<void> {
    const written = this.journal.append(changes);
    for (const session of new Set(changes.map(change => change.session))) this.changeEmitter.fire(session);
    await written;
  }

  /** The user keeps these changes, see {@link ChangeJournal.isKept}. `session`: where the user said so. */
  async keep(session: string, changes: readonly StoredChange[]): Promise<void> {
    const written = this.journal.keep(session, changes, this.now());
    this.changeEmitter.fire(session);
    await written;
  }

  /** Reads the present content of a path, and keeps its bytes with the session. */
  read(session: string, path: string): Promise<FileState> {
    return readState(path, this.journal.blobs(session));
  }

  /** The user saved a file, by its absolute path: what was said of it is out of date. */
  async saved(path: string): Promise<void> {
    const name = await this.ownName(path);
    const record = this.journal.records.findLast(each => each.path === name);
    if (record !== undefined) this.changeEmitter.fire(record.session);
  }

  /** The name of a file in the journal, from its absolute path. Each file has one name, whatever links point to it. */
  async ownName(path: string): Promise<string> {
    return this.inFolder(await realNameOf(path));
  }

  /** The bytes of a state found in a record; undefined when they are not kept any more. */
  async bytes(record: Pick<ChangeRecord, 'session'>, state: FileState): Promise<Buffer | undefined> {
    if (state.kind === 'absent') return Buffer.alloc(0);
    return state.kind === 'lost' ? undefined : this.journal.blobs(record.session).get(state.blob);
  }

  /** Resolves when everything that began earlier is written. */
  async flush(): Promise<void> {
    await this.queue;
    await this.journal.append([]);
  }

  dispose(): void {
    this.ending.abort();
    this.changeEmitter.dispose();
  }

  private async beginFile(call: TrackedCall, named: string): Promise<() => Promise<void>> {
    const { path, turn } = await this.lineUp(named);
    const release = await turn;
    try {
      const before = await this.read(call.session, path);
      return async () => {
        try {
          const after = await this.read(call.session, path);
          await this.record(call, [{ path, before, after }]);
        } finally {
          release();
        }
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Resolves names one after the other, so that calls queue for a file in their order. */
  private async lineUp(named: string): Promise<{ readonly path: string; readonly turn: Promise<() => void> }> {
    const lined = this.lining.then(async () => {
      const path = await this.ownName(resolveForWrite(named, this.options.cwd));
      return { path, turn: this.turnAt(path) };
    });
    this.lining = lined.catch(() => undefined); // The call itself gets the error.
    return lined;
  }

  /** Parallel calls take turns at a file: otherwise each would record the other's changes as its own. */
  private async turnAt(path: string): Promise<() => void> {
    const before = this.files.get(path);
    const turn = deferred();
    this.files.set(path, turn.promise);
    await before;
    return () => {
      turn.resolve();
      if (this.files.get(path) === turn.promise) this.files.delete(path);
    };
  }

  private async beginAny(call: TrackedCall): Promise<() => Promise<void>> {
    const run = await this.enqueue(async (): Promise<Running> => {
      const tree = await this.tree();
      const started: Running = { call, firstSeq: this.journal.records.length, tree };
      this.running.add(started);
      return started;
    });
    return () =>
      this.enqueue(async () => {
        this.running.delete(run);
        const after = run.tree === undefined ? undefined : await this.tree();
        try {
          if (run.tree !== undefined && after !== undefined) await this.recordTrees(run, run.tree, after);
        } catch (error) {
          this.fail(error); // The call succeeded: a full disk here is not its failure.
        }
      });
  }

  private async recordTrees({ call, firstSeq }: Running, before: string, after: string): Promise<void> {
    const { snapshots } = this;
    if (snapshots === undefined) return;
    const blobs = this.journal.blobs(call.session);
    const changes: Change[] = [];
    const compared = await this.compare(snapshots, before, after);
    const others = compared.length === 0 ? [] : await this.changedBeside(snapshots, after);
    const files = compared.flatMap(change => [change.before, change.after]);
    const kept = await snapshots.keep(files, blobs, this.ending.signal);
    for (const change of compared) {
      const path = this.inFolder(change.path);
      if (this.files.has(path)) continue; // The call that works on this file records the change.
      const or = others.filter(({ paths }) => paths.has(change.path)).map(({ id }) => id);
      const states = { before: snapshotState(change.before, kept), after: snapshotState(change.after, kept) };
      const found = { path, ...states, ...(or.length === 0 ? {} : { or }) };
      // Changes that other calls recorded meanwhile belong to them.
      const theirs = this.journal.records.slice(firstSeq).findLast(record => record.path === path);
      if (theirs === undefined || !sameState(theirs.after, found.after)) changes.push(found);
    }
    await this.record(call, changes);
  }

  /** The changes since the start of each running call that may change any file: that call may have made them. */
  private async changedBeside(
    snapshots: GitSnapshots,
    now: string,
  ): Promise<readonly { readonly id: string; readonly paths: ReadonlySet<string> }[]> {
    const beside: { readonly id: string; readonly paths: ReadonlySet<string> }[] = [];
    for (const { call, tree } of this.running) {
      const changes = tree === undefined ? [] : await this.compare(snapshots, tree, now);
      beside.push({ id: call.id, paths: new Set(changes.map(({ path }) => path)) });
    }
    return beside;
  }

  private async compare(snapshots: GitSnapshots, before: string, after: string): Promise<TreeChange[]> {
    try {
      return await snapshots.compare(before, after);
    } catch (error) {
      this.fail(error);
      return [];
    }
  }

  private async record({ session, id, tool }: TrackedCall, changes: readonly Change[]): Promise<void> {
    const real = changes.filter(({ before, after }) => !sameState(before, after));
    if (real.length === 0) return;
    const at = this.now();
    await this.add(real.map(change => ({ at, session, call: id, tool, kind: 'tool', ...change })));
  }

  /** Undefined when there are no snapshots. */
  private async tree(): Promise<string | undefined> {
    if (this.failures >= MOST_FAILURES) return undefined;
    const { cwd, dir, limits = SNAPSHOT_LIMITS } = this.options;
    // A repository may be created later. Checked synchronously at each call, because the thread pool costs fifty times
    // as much.
    if (this.state.type === 'noRepository' && !existsSync(join(cwd, '.git'))) return undefined;
    try {
      this.snapshots ??= await GitSnapshots.open(cwd, dir, limits);
      const tree = await this.snapshots?.take();
      this.failures = 0;
      this.state =
        this.snapshots === undefined
          ? { type: 'noRepository' }
          : { type: 'on', tooLarge: [...this.snapshots.tooLarge] };
      return tree;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  /**
   * Commands then run without tracking. Temporary failures, such as a lock of another window, are retried a few times.
   */
  private fail(error: unknown): void {
    const { log } = this.options;
    this.failures = error instanceof SnapshotProblem && error.isLasting ? MOST_FAILURES : this.failures + 1;
    if (error instanceof SnapshotProblem) log.warn(`No checkpoints of what commands change: ${error.message}`);
    else log.error('No checkpoints of what commands change', error);
    this.state = { type: 'off', why: messageOf(error) };
    for (const { session } of this.journal.records.slice(-1)) this.changeEmitter.fire(session);
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const run = this.queue.then(work);
    this.queue = run.catch(() => undefined); // The caller gets the error.
    return run;
  }

  /** The path as the user knows it: below the folder they opened. */
  private inFolder(real: string): string {
    const rest = relative(this.realCwd, real);
    const isInside = rest !== '' && !rest.startsWith('..') && !isAbsolute(rest);
    return isInside ? join(this.options.cwd, rest) : real;
  }
}

/** The path without symbolic links, as far as it exists. */
async function realNameOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? resolve(path) : join(await realNameOf(parent), basename(path));
  }
}
