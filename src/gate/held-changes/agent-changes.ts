import { statSync } from 'node:fs';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { realPathIfThere } from '../../base/files/on-disk';
import { LeftoverProcesses, type LeftoverProcess } from '../../agent/tools/shell/leftover-processes';
import type { AnyTool } from '../../agent/tools/tool';
import type { CallingRun } from '../approval-store/approval-record';
import type { ApprovalStore } from '../approval-store/approval-store';
import type { HeldFiles } from './held-files';
import type { SourceReads } from '../../hook-load/graph/source-reads';
import { HookSource } from '../../hook-load/graph/hook-source';

/** What a check reads: it decides about the text that is loaded afterwards, not about what is on disk by then. */
type Reads = Pick<SourceReads, 'source'>;

/** How long after a tool call changes on disk still count as its changes, in ms; longer than file watchers take. */
const AFTERMATH_MS = 1_000;

/** How far the times of files may be behind the clock, ms: the system takes them from a clock that it sets at each tick. */
const CLOCK_STEP_MS = 20;

/** Pauses between checks for processes that commands left running, ms; the last repeats. A check reads all `/proc`. */
const LOOKS_MS = [500, 1_000, 2_000, 5_000];

export interface ApprovalParts {
  /** Checks the files again; is called once after each round of tool calls and the processes that they left running. */
  readonly check: () => Promise<unknown>;
  /** Called before each tool call, which waits for what it returns. */
  readonly beforeCall?: () => Promise<void> | undefined;
  readonly behind?: LeftoverProcesses;
  /** Where open calls are recorded; when absent, held changes are forgotten when the process ends. */
  readonly store?: ApprovalStore | undefined;
  /** Files of settings whose changes are held, too. */
  readonly files?: Pick<HeldFiles, 'check' | 'beginCalls' | 'endCalls' | 'putBack' | 'wrote'> | undefined;
  readonly log: Log;
}

/**
 * Distinguishes changes of hook files by the agent's tools from changes by the user. While a tool call or a process
 * that it started runs, and until the files were checked after it, a change counts as the agent's, unless the user
 * saved exactly that text in the editor or named the file on the command line. An open call is recorded on disk, so
 * that it counts for other processes, and for the next one if this one is killed.
 */
export class AgentChanges implements Disposable {
  private readonly saved = new Map<string, string | undefined>();
  private readonly noted = new Map<string, string | undefined>();
  /**
   * The files that the user approved, by path of the hook: file path to hash; undefined for a file that does not exist.
   */
  private readonly approved = new Map<string, ReadonlyMap<string, string | undefined>>();
  /** What processes that ended during a call left running, by id of their run. */
  private readonly adopted = new Map<string, LeftoverProcesses>();
  private readonly behind: LeftoverProcesses;
  private leftovers: readonly LeftoverProcess[] = [];
  /** When the first call began whose changes this process decides about, in ms since 1970. */
  private since: number | undefined;
  private running = 0;
  private inEditor = 0;
  /** Counts tool calls: a check that began before a call says nothing about that call. */
  private calls = 0;
  private isUnchecked = false;
  /** Whether the record on disk says that a call is open. */
  private isOpen = false;
  private isDisposed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ApprovalParts) {
    const { behind, store } = parts;
    this.behind = behind ?? new LeftoverProcesses({ started: pid => this.tryStore(() => store?.noteStarted(pid)) });
  }

  /** Whether changes that are found now are the agent's. */
  get isGuarding(): boolean {
    return this.running > 0 || this.isUnchecked;
  }

  /** Programs that the agent's commands left running, at the last check; as a text for the user. */
  get stillRunning(): string | undefined {
    if (this.running > 0 || this.leftovers.length === 0) return undefined;
    return this.leftovers.map(({ pid, name }) => (name === undefined ? String(pid) : `${name} (${pid})`)).join(', ');
  }

  /** Runs a tool call of the agent; file changes during it count as the agent's. */
  async duringCall<T>(tool: WatchedTool, call: () => Promise<T>): Promise<T> {
    const before = this.parts.beforeCall?.();
    if (before !== undefined) await before;
    this.since ??= Date.now();
    this.open();
    this.running++;
    if (tool.actsInEditor === true) this.inEditor++;
    this.calls++;
    this.isUnchecked = true;
    clearTimeout(this.timer);
    try {
      return await this.behind.during(call);
    } finally {
      if (tool.actsInEditor === true) this.inEditor--;
      if (--this.running === 0) this.closeIn(AFTERMATH_MS, 0);
    }
  }

  /**
   * Takes over from processes that ended during a call; call this after loading. Processes that they started count as
   * if this process had started them, until none is left. Runs that were taken over before are skipped.
   */
  takeOver(runs: readonly CallingRun[]): void {
    const fresh = runs.filter(({ id }) => !this.adopted.has(id));
    for (const run of fresh) {
      const roots = this.parts.store?.rootsOf(run) ?? [];
      this.adopted.set(run.id, new LeftoverProcesses({ of: { name: run.marker, roots } }));
    }
    if (fresh.length === 0) return;
    this.since ??= 0;
    this.calls++;
    this.isUnchecked = true;
    if (this.running === 0) this.closeIn(0, 0);
  }

  /**
   * Whether the agent may have changed this file after `loadedAt` (ms since 1970): no call can set back the time that the system
   * keeps of the last change.
   */
  mayHaveChanged(path: string, loadedAt: number): boolean {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Infinity;
    return this.since !== undefined && changedAt > Math.max(this.since, loadedAt) - CLOCK_STEP_MS;
  }

  /** Whether no process that this run started is left. */
  isOver({ id }: CallingRun): boolean {
    return this.adopted.get(id)?.isOver === true;
  }

  /** Call this when a file was saved in the editor: the user's change, unless a tool is acting in the editor. */
  savedInEditor(path: string): void {
    if (this.inEditor > 0) return;
    const source = HookSource.readIfPossible(path);
    this.saved.set(realPathIfThere(path), source?.hash);
    if (source !== undefined) this.parts.files?.wrote(path, source.text);
  }

  /**
   * Forgets saves whose text is not on disk any more: it may be an older version, and whoever writes it again is not the user.
   * Call this at each check, with what it reads.
   */
  forgetOldSaves(reads: Reads): void {
    for (const [path, hash] of this.saved) if (reads.source(path)?.hash !== hash) this.saved.delete(path);
  }

  /** Approves a hook with the content that it and these files of it have on disk now. */
  approve(path: string, files: readonly string[]): void {
    this.approved.set(path, new Map([path, ...files].map(file => [file, HookSource.readIfPossible(file)?.hash])));
  }

  /**
   * Whether the user approved the content of this hook that a check read. The approval is used up, so call this once per
   * check.
   */
  useUpApproval(path: string, reads: Reads): boolean {
    const files = this.approved.get(path);
    this.approved.delete(path);
    return files !== undefined && [...files].every(([file, hash]) => reads.source(file)?.hash === hash);
  }

  /** Stores the hash of a file that is about to be loaded, in case loading fails, or that is off. */
  note(path: string, reads: Reads): void {
    this.noted.set(path, reads.source(path)?.hash);
  }

  isAsNoted(path: string, reads: Reads): boolean {
    return this.noted.has(path) && this.noted.get(path) === reads.source(path)?.hash;
  }

  isSaved(path: string, reads: Reads): boolean {
    const hash = this.saved.get(realPathIfThere(path));
    return hash !== undefined && hash === reads.source(path)?.hash;
  }

  /** Ends the round at once if no process of a call is left; otherwise the record keeps it open for the next start. */
  async finish(): Promise<void> {
    clearTimeout(this.timer);
    if (this.isUnchecked && this.running === 0) await this.close(0);
    clearTimeout(this.timer);
    const { store } = this.parts;
    this.tryStore(() => (this.isOpen ? store?.markEnded() : store?.removeOwnRun()));
  }

  dispose(): void {
    this.isDisposed = true;
    clearTimeout(this.timer);
  }

  private closeIn(ms: number, looks: number): void {
    if (this.isDisposed) return;
    this.timer = setTimeout(() => void this.close(looks), ms);
    this.timer.unref();
  }

  /** Ends the round if no process is left. The check that ends it still counts what it finds as the agent's. */
  private async close(looks: number): Promise<void> {
    const { calls } = this;
    const leftovers = (await Promise.all([this.behind, ...this.adopted.values()].map(each => each.look()))).flat();
    if (this.calls !== calls) return;
    this.leftovers = leftovers;
    if (leftovers.length > 0) {
      this.closeIn(LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)] ?? 0, looks + 1);
      return;
    }
    try {
      this.parts.files?.check();
      await this.parts.files?.putBack();
      await this.parts.check();
    } catch {
      return; // The files cannot be checked now; the next check ends the round.
    }
    if (this.calls !== calls) return;
    this.isUnchecked = false;
    if (this.isOpen) this.tryStore(() => this.parts.store?.endCalls());
    this.parts.files?.endCalls();
    this.isOpen = false;
  }

  /** Records that a call is open: one small write for each round of calls. */
  private open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.parts.files?.beginCalls();
    this.tryStore(() => this.parts.store?.beginCalls(this.behind.name));
  }

  private tryStore(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.parts.log.error(`The record of running tool calls could not be saved: ${messageOf(error)}`, error);
    }
  }
}

/** What {@link AgentChanges} needs to know of a tool. */
export type WatchedTool = Pick<AnyTool, 'actsInEditor'>;

/** Runs a call of a tool; changes of files during it count as the agent's. */
export type DuringCall = <T>(tool: WatchedTool, call: () => Promise<T>) => Promise<T>;
