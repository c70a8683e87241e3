import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ENDED, isRunning } from '../../base/ending/known-process';
import { realPathIfThere } from '../../base/files/on-disk';
import type { HookFile } from '../../hook-load/files/discover';
import { hashOf } from '../../base/files/hash-of';
import { HookSource } from '../../hook-load/graph/hook-source';
import {
  emptyRecord,
  fileOf,
  type ApprovalRecord,
  type ApprovedFile,
  type ApprovedHook,
  type CallingRun,
  type HeldHook,
  type HookList,
} from './approval-record';
import { forgetRun, isAtCall, OwnRun, rootsOf } from './calling-run';
import { PastCalls } from './past-calls';
import { RecordFile, type RecordRead } from './record-file';
import { UsedPlaces } from './used-places';

/** Where approvals are stored, and for which folders. */
export interface ApprovalPlace {
  /** Absolute; the same for all windows and command lines of the user. */
  readonly stateDir: string;
  readonly agentDir: string;
  /** Absolute. */
  readonly cwd: string;
}

/**
 * `user`: hooks of the agent folder and of the user's packages, the same for every folder. `folder`: all that run in the
 * folder except those of the agent folder; for hooks of the user's packages it says whether the folder leaves them out.
 */
export type PlaceName = 'user' | 'folder';

/** What is known of one place. */
export interface KnownPlace {
  readonly approved: ReadonlyMap<string, ApprovedHook>;
  readonly held: ReadonlyMap<string, HeldHook>;
  readonly lists: readonly HookList[];
  /** `lost`: watched files were recorded before, and the record is gone. */
  readonly files: readonly ApprovedFile[] | 'lost';
  /**
   * `kept`: there is a record. `none`: the place was not used before. `lost`: it was used before, but the record is
   * missing or damaged, so nobody knows what was approved.
   */
  readonly memory: 'kept' | 'none' | 'lost';
  /** Whether a call is open in another process, or was open when it ended: then changes count as the agent's. */
  readonly isAtCall: boolean;
}

export type Known = Readonly<Record<PlaceName, KnownPlace>> & {
  /** Processes that ended during a call. */
  readonly cutOff: readonly CallingRun[];
  readonly approveChanges: 'agent' | 'all' | undefined;
};

/** What a load stores about one place. */
export type Remembered = Pick<ApprovalRecord, 'approved' | 'held' | 'lists'>;

export function placeName(file: Pick<HookFile, 'origin' | 'packaged'>): PlaceName {
  return placesOf(file)[0];
}

/** The places whose records have the hook, the deciding one first. */
export function placesOf({
  origin,
  packaged,
}: Pick<HookFile, 'origin' | 'packaged'>): readonly [PlaceName, ...PlaceName[]] {
  if (origin === 'global') return ['user'];
  return origin === 'package' && packaged?.isUsers === true ? ['user', 'folder'] : ['folder'];
}

/** The place whose record decides about a hook here: the folder, if its settings leave out a hook of the user's package. */
export function decidingPlace(
  file: Pick<HookFile, 'path' | 'origin' | 'packaged'>,
  leftOut: ReadonlySet<string>,
): PlaceName {
  return leftOut.has(file.path) ? 'folder' : placeName(file);
}

/** Where approved hooks are recorded: for hooks of the user, and for those of the folder. */
export const PLACES = ['user', 'folder'] as const;

/**
 * The record of approved hooks, on disk outside of the workspace. It is read at each load, written after it, and shared
 * by all processes of the user (docs/hooks.md). Methods that write throw when writing fails; the caller then continues
 * with what is in memory.
 */
export class ApprovalStore {
  private readonly files: Readonly<Record<PlaceName, RecordFile>>;
  /** Records of watched files, apart from those of hooks: a record of hooks that is missing says that it was removed. */
  private readonly watched: Readonly<Record<PlaceName, RecordFile>>;
  private readonly about: Readonly<Record<PlaceName, string>>;
  private readonly runsDir: string;
  private readonly keys: Readonly<Record<PlaceName, string>>;
  private readonly pastCalls: PastCalls;
  private readonly used: UsedPlaces;
  private run: OwnRun | undefined;
  /** Places whose record could not be written; while there are any, a call that has ended stays open in the record. */
  private readonly behind = new Set<PlaceName>();

  constructor({ stateDir, agentDir, cwd }: ApprovalPlace) {
    this.about = { user: agentDir, folder: realPathIfThere(cwd) };
    const keyOf = (name: PlaceName): string =>
      `${name}-${createHash('sha256').update(this.about[name]).digest('hex').slice(0, 24)}`;
    this.keys = { user: keyOf('user'), folder: keyOf('folder') };
    const filesIn = (dir: string): Readonly<Record<PlaceName, RecordFile>> => ({
      user: new RecordFile(join(stateDir, dir, this.keys.user)),
      folder: new RecordFile(join(stateDir, dir, this.keys.folder)),
    });
    this.files = filesIn('approved-hooks');
    this.watched = filesIn('approved-files');
    this.pastCalls = new PastCalls(stateDir);
    this.used = new UsedPlaces(stateDir, agentDir);
    this.runsDir = join(stateDir, 'approved-hooks', 'runs');
  }

  /** Checks for open calls before the final read: a process stores what a call changed before it closes the call. */
  read(): Known {
    const first = { user: this.files.user.read(), folder: this.files.folder.read() };
    const others = { user: this.othersAtCall(first.user), folder: this.othersAtCall(first.folder) };
    const reads = { user: this.files.user.read(), folder: this.files.folder.read() };
    const known = (name: PlaceName): KnownPlace => {
      const read = reads[name];
      const { approved, held, lists } = read.type === 'record' ? read.record : emptyRecord('');
      return {
        approved: new Map(approved.map(hook => [hook.path, hook])),
        held: new Map(held.map(hook => [hook.path, hook])),
        lists,
        files: this.watchedIn(name) ?? (this.wasUsed(name) && read.type !== 'record' ? 'lost' : []),
        memory: read.type === 'record' ? 'kept' : this.isFirstUse(name, reads) ? 'none' : 'lost',
        isAtCall: others[name].length > 0,
      };
    };
    const all = [...others.user, ...others.folder];
    const cutOff = all.filter((run, at) => all.findIndex(({ id }) => id === run.id) === at && !isRunning(run));
    const approveChanges = reads.user.type === 'record' ? reads.user.record.approveChanges : undefined;
    return { user: known('user'), folder: known('folder'), cutOff, approveChanges };
  }

  /** The stored texts of an approved hook; undefined when one of them is no longer stored. */
  sourcesOf(hook: ApprovedHook): readonly HookSource[] | undefined {
    const files = placesOf(fileOf(hook)).map(name => this.files[name]);
    const storedText = (hash: string): string | undefined =>
      files.map(file => file.text(hash)).find(text => text !== undefined);
    const sources = hook.sources.flatMap(({ path, hash }): HookSource[] => {
      const text = storedText(hash);
      return text === undefined ? [] : [HookSource.of(path, text)];
    });
    return sources.length === hook.sources.length ? sources : undefined;
  }

  /** Updates the record. `change` gets the current record, since other processes write too; it may run repeatedly. */
  remember(name: PlaceName, texts: readonly HookSource[], change: (before: Remembered) => Remembered): void {
    const file = this.files[name];
    this.behind.add(name);
    file.keepTexts(texts);
    file.update(read => ({ ...this.recordIn(name, read), ...change(this.recordIn(name, read)) }));
    this.behind.delete(name);
  }

  /** Remembers outside of the record that a place was used. */
  noteUse(name: PlaceName): void {
    this.used.add(this.keys[name], this.about[name]);
  }

  /** Updates what is stored about watched files, as {@link remember} does. `texts` are those that the rows name. */
  rememberFiles(
    name: PlaceName,
    texts: readonly string[],
    change: (before: readonly ApprovedFile[]) => readonly ApprovedFile[],
  ): void {
    const file = this.watched[name];
    file.keepTexts(texts.map(text => ({ text, hash: hashOf(text) })));
    file.update(read => {
      const record = this.recordIn(name, read);
      return { ...record, files: [...change(record.files ?? [])] };
    });
  }

  /** The stored text with this hash; undefined when it is no longer stored. */
  textWith(name: PlaceName, hash: string): string | undefined {
    return this.watched[name].text(hash);
  }

  private watchedIn(name: PlaceName): readonly ApprovedFile[] | undefined {
    const read = this.watched[name].read();
    return read.type === 'record' ? read.record.files : undefined;
  }

  /** Stores the window's setting for changes that no tool made; the command line uses it, too. */
  setApproveChanges(approveChanges: 'agent' | 'all'): void {
    this.files.user.update(read => ({ ...this.recordIn('user', read), approveChanges }));
  }

  /** The runs of other processes whose calls in a place are open, or were when they ended. */
  runsAtCall(name: PlaceName): readonly CallingRun[] {
    return this.othersAtCall(this.files[name].read());
  }

  /** Records that a call is open. `marker` is the name of an environment variable that all processes of calls have. */
  beginCalls(marker: string): void {
    if (this.run !== undefined) {
      this.run.begin();
      this.pastCalls.began(this.run.row.id);
      return;
    }
    const run = new OwnRun(this.runsDir, marker);
    this.run = run;
    for (const name of PLACES) {
      this.files[name].update(read => {
        const record = this.recordIn(name, read);
        return { ...record, runs: [...record.runs, run.row] };
      });
    }
    this.pastCalls.began(run.row.id);
  }

  /** Records that no call is open. Call this after the changes of the calls were checked and stored. */
  endCalls(): void {
    if (this.behind.size > 0 || this.run === undefined) return;
    this.run.end();
    this.pastCalls.ended(this.run.row.id);
  }

  /** Records a process that a call started as the leader of a new process session. */
  noteStarted(pid: number): void {
    this.run?.started(pid);
  }

  /** Removes this process from the records. Call this at its normal end, when no process of its calls is left. */
  removeOwnRun(): void {
    const { run } = this;
    if (run === undefined || this.behind.size > 0) return;
    this.run = undefined;
    for (const name of PLACES) this.withoutRuns(name, [run.row]);
    run.forget();
  }

  /** Records that this process ended while processes of its calls still run, so that the next start takes over. */
  markEnded(): void {
    const { run } = this;
    if (run === undefined) return;
    this.run = undefined;
    const ended = { ...run.row, pid: ENDED };
    for (const name of PLACES) {
      this.files[name].update(read => {
        if (read.type !== 'record') return undefined;
        return { ...read.record, runs: read.record.runs.map(row => (row.id === ended.id ? ended : row)) };
      });
    }
  }

  /** Removes runs that ended during a call. Call this after their changes in this place were checked and stored. */
  removeFinishedRuns(name: PlaceName, runs: readonly CallingRun[]): void {
    this.withoutRuns(name, runs);
    if (name === 'user') return;
    for (const run of runs) {
      forgetRun(this.runsDir, run);
      this.pastCalls.ended(run.id);
    }
  }

  rootsOf(run: CallingRun): readonly number[] {
    return rootsOf(this.runsDir, run);
  }

  private withoutRuns(name: PlaceName, gone: readonly CallingRun[]): void {
    this.files[name].update(read => {
      if (read.type !== 'record') return undefined;
      return { ...read.record, runs: read.record.runs.filter(({ id }) => gone.every(run => run.id !== id)) };
    });
  }

  private othersAtCall(read: RecordRead): readonly CallingRun[] {
    if (read.type !== 'record') return [];
    return read.record.runs.filter(run => run.id !== this.run?.row.id && isAtCall(this.runsDir, run));
  }

  /**
   * If the use of a place was noted, there was a record of it; if there is one of the folder, there was one of the user.
   * Sessions say nothing: pi writes them, too.
   */
  private isFirstUse(name: PlaceName, { user, folder }: Readonly<Record<PlaceName, RecordRead>>): boolean {
    if (folder.type !== 'missing' || (name === 'user' && user.type !== 'missing')) return false;
    return !this.wasUsed(name);
  }

  private wasUsed(name: PlaceName): boolean {
    return this.used.has(this.keys[name]);
  }

  private recordIn(name: PlaceName, read: RecordRead): ApprovalRecord {
    return read.type === 'record' ? read.record : emptyRecord(this.about[name]);
  }
}
