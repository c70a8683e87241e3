import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { HookFile } from '../host/discover';
import type { HookSource } from '../load/hook-module';
import {
  emptyRecord,
  type ApprovalRecord,
  type ApprovedHook,
  type CallingRun,
  type HeldHook,
  type HookList,
} from './approval-record';
import { ENDED, forgetRun, isAtCall, isRunning, OwnRun, rootsOf } from './calling-run';
import { RecordFile, type RecordRead } from './record-file';

/** Where approvals are kept, and for what. */
export interface ApprovalPlace {
  /** One for all windows and command lines of the user, absolute. */
  readonly stateDir: string;
  readonly agentDir: string;
  /** Absolute. */
  readonly cwd: string;
  /** Whether somebody has worked in the folder before: then a record that is missing was taken away. */
  readonly hasSessions: () => boolean;
}

/** Hooks of the agent folder are the same in every folder; all others belong to the one that is worked in. */
export type PlaceName = 'user' | 'folder';

/** What is known of one place. */
export interface KnownPlace {
  readonly approved: ReadonlyMap<string, ApprovedHook>;
  readonly held: ReadonlyMap<string, HeldHook>;
  readonly lists: readonly HookList[];
  /**
   * `none`: nobody was here before. `lost`: somebody was, and what was approved is not known any more.
   */
  readonly memory: 'kept' | 'none' | 'lost';
  /** In another process a call is open, or was when it ended: what is found now counts as its work. */
  readonly isAtCall: boolean;
}

export type Known = Readonly<Record<PlaceName, KnownPlace>> & {
  /** Processes that ended in the middle of a call. */
  readonly cutOff: readonly CallingRun[];
  readonly approveChanges: 'agent' | 'all' | undefined;
};

/** What is to be remembered of one place. */
export type Remembered = Pick<ApprovalRecord, 'approved' | 'held' | 'lists'>;

export function placeName({ origin }: Pick<HookFile, 'origin'>): PlaceName {
  return origin === 'global' ? 'user' : 'folder';
}

const PLACES = ['user', 'folder'] as const;

/**
 * What a user approved of hooks, on disk outside of the workspace: read at each load, written after it, shared by all
 * processes of the user (docs/hooks.md). What is not to be written is thrown, and the caller goes on with what is in
 * memory.
 */
export class ApprovalStore {
  private readonly files: Readonly<Record<PlaceName, RecordFile>>;
  private readonly about: Readonly<Record<PlaceName, string>>;
  private readonly runsDir: string;
  private run: OwnRun | undefined;
  /** What could not be written down: a call that is over then stays open on disk. */
  private readonly behind = new Set<PlaceName>();

  constructor(private readonly place: ApprovalPlace) {
    const { stateDir, agentDir, cwd } = place;
    this.about = { user: agentDir, folder: realOf(cwd) };
    const dir = join(stateDir, 'approved-hooks');
    const fileFor = (name: PlaceName): RecordFile => {
      const key = createHash('sha256').update(this.about[name]).digest('hex').slice(0, 24);
      return new RecordFile(join(dir, `${name}-${key}`));
    };
    this.files = { user: fileFor('user'), folder: fileFor('folder') };
    this.runsDir = join(dir, 'runs');
  }

  /** Open calls are looked for first: whoever closes one has written down what it did before. */
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
        memory: read.type === 'record' ? 'kept' : this.isFirstUse(name, reads) ? 'none' : 'lost',
        isAtCall: others[name].length > 0,
      };
    };
    const all = [...others.user, ...others.folder];
    const cutOff = all.filter((run, at) => all.findIndex(({ id }) => id === run.id) === at && !isRunning(run));
    const approveChanges = reads.user.type === 'record' ? reads.user.record.approveChanges : undefined;
    return { user: known('user'), folder: known('folder'), cutOff, approveChanges };
  }

  /** Undefined when a text is not kept any more. */
  sourcesOf(hook: ApprovedHook): readonly HookSource[] | undefined {
    const file = this.files[placeName(hook)];
    const sources = hook.sources.flatMap(({ path, hash }): HookSource[] => {
      const text = file.text(hash);
      return text === undefined ? [] : [{ path, hash, text }];
    });
    return sources.length === hook.sources.length ? sources : undefined;
  }

  /** `change` makes what is to be remembered of what is there then, as other processes write, too. */
  remember(name: PlaceName, texts: readonly HookSource[], change: (before: Remembered) => Remembered): void {
    const file = this.files[name];
    this.behind.add(name);
    file.keepTexts(texts);
    file.update(read => ({ ...this.recordIn(name, read), ...change(this.recordIn(name, read)) }));
    this.behind.delete(name);
  }

  /** What a window says about changes that no tool made; the command line goes by it, too. */
  setApproveChanges(approveChanges: 'agent' | 'all'): void {
    this.files.user.update(read => ({ ...this.recordIn('user', read), approveChanges }));
  }

  /** A call begins, and none was open here. `marker` is a variable in the environment of all that calls start. */
  beginCalls(marker: string): void {
    if (this.run !== undefined) {
      this.run.begin();
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
  }

  /** What the calls did is looked at and written down. */
  endCalls(): void {
    if (this.behind.size === 0) this.run?.end();
  }

  /** A call started a process, as the head of a session of its own. */
  noteStarted(pid: number): void {
    this.run?.started(pid);
  }

  /** The orderly end of this process: its calls are over, and nothing that they started is left. */
  leave(): void {
    const { run } = this;
    if (run === undefined || this.behind.size > 0) return;
    this.run = undefined;
    for (const name of PLACES) this.withoutRuns(name, [run.row]);
    run.forget();
  }

  /** This process ends while something that its calls started goes on: the next start takes over from it. */
  handOver(): void {
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

  /** What runs that were cut off did in this place is looked at and written down. */
  settle(name: PlaceName, runs: readonly CallingRun[]): void {
    this.withoutRuns(name, runs);
    if (name === 'folder') for (const run of runs) forgetRun(this.runsDir, run);
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

  /** Sessions of the folder tell that there was a record, and the folder's record tells that there was the user's. */
  private isFirstUse(name: PlaceName, { user, folder }: Readonly<Record<PlaceName, RecordRead>>): boolean {
    if (folder.type !== 'missing' || (name === 'user' && user.type !== 'missing')) return false;
    return !this.place.hasSessions();
  }

  private recordIn(name: PlaceName, read: RecordRead): ApprovalRecord {
    return read.type === 'record' ? read.record : emptyRecord(this.about[name]);
  }
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // It does not exist yet; nothing is approved there either.
  }
}
