import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { LeftBehind, type LeftoverProcess } from '../../agent/tools/shell/left-behind';
import type { AnyTool } from '../../agent/tools/tool';
import type { CallingRun } from './approval-record';
import type { ApprovalStore } from './approval-store';
import { realPathIfThere, sourceHash } from './source-text';

/** How long after the end of a tool call what is on disk still counts as its work, ms: longer than watchers take. */
const AFTERMATH_MS = 1_000;

/** Between two looks at what the agent's commands left running, ms; the last goes on. A look reads all of `/proc`. */
const LOOKS_MS = [500, 1_000, 2_000, 5_000];

export interface ApprovalParts {
  /** Looks at the files again; it is asked to once after each round of tool calls and what they left running. */
  readonly check: () => Promise<unknown>;
  readonly behind?: LeftBehind;
  /** Absent: what is held is forgotten with the process. */
  readonly store?: ApprovalStore | undefined;
  readonly log: Log;
}

/**
 * Tells what the agent's tools did to hook files from what a user did. While a tool
 * call runs, while a process lives that one started, and until the files were looked at after it, a change counts as
 * the agent's unless the user saved exactly that text in the editor or named the file. That a call is open is on disk
 * while it is, so that it counts for other processes, and for the next one where this is killed.
 */
export class AgentChanges implements Disposable {
  private readonly saved = new Map<string, string | undefined>();
  private readonly noted = new Map<string, string | undefined>();
  /** What the user approved of a hook: hash by path of its files; undefined for a file that does not exist. */
  private readonly approved = new Map<string, ReadonlyMap<string, string | undefined>>();
  /** Records of processes that ended in the middle of a call. */
  private readonly adopted = new Map<string, LeftBehind>();
  private readonly behind: LeftBehind;
  private leftovers: readonly LeftoverProcess[] = [];
  private running = 0;
  private inEditor = 0;
  /** Counts tool calls: a look that began before one says nothing about it. */
  private calls = 0;
  private isUnchecked = false;
  /** It is on disk that a call is open. */
  private isOpen = false;
  private isDisposed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ApprovalParts) {
    const { behind, store } = parts;
    this.behind = behind ?? new LeftBehind({ started: pid => this.tryStore(() => store?.noteStarted(pid)) });
  }

  /** Whether changes that are found now are the agent's. */
  get isGuarding(): boolean {
    return this.running > 0 || this.isUnchecked;
  }

  /** Programs that the agent's commands left running, as last seen; in words, for people. */
  get stillRunning(): string | undefined {
    if (this.running > 0 || this.leftovers.length === 0) return undefined;
    return this.leftovers.map(({ pid, name }) => (name === undefined ? String(pid) : `${name} (${pid})`)).join(', ');
  }

  /** Makes a tool call of the agent. */
  async duringCall<T>(tool: WatchedTool, call: () => Promise<T>): Promise<T> {
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
   * Takes over from processes that ended in the middle of a call, once everything is loaded: what they started counts as if
   * it was started here, until none of it is left. Those that are known already are left out.
   */
  takeOver(runs: readonly CallingRun[]): void {
    const fresh = runs.filter(({ id }) => !this.adopted.has(id));
    for (const run of fresh) {
      const roots = this.parts.store?.rootsOf(run) ?? [];
      this.adopted.set(run.id, new LeftBehind({ of: { name: run.marker, roots } }));
    }
    if (fresh.length === 0) return;
    this.calls++;
    this.isUnchecked = true;
    if (this.running === 0) this.closeIn(0, 0);
  }

  /** Whether nothing is left of what this run had started. */
  isOver({ id }: CallingRun): boolean {
    return this.adopted.get(id)?.isOver === true;
  }

  /** This file was saved in the editor, as it is on disk now: by the user, unless a tool acts there. */
  savedByPerson(path: string): void {
    if (this.inEditor > 0) return;
    this.saved.set(realPathIfThere(path), sourceHash(path));
  }

  /** The user wants this hook to be as these files of it are on disk now. */
  approve(path: string, files: readonly string[]): void {
    this.approved.set(path, new Map([path, ...files].map(file => [file, sourceHash(file)])));
  }

  /** Whether the user wants this hook to be as it is; asked once per look. */
  takeApproval(path: string): boolean {
    const files = this.approved.get(path);
    this.approved.delete(path);
    return files !== undefined && [...files].every(([file, hash]) => sourceHash(file) === hash);
  }

  /** Remembers the text of a file that is about to be loaded, for when it fails to. */
  note(path: string): void {
    this.noted.set(path, sourceHash(path));
  }

  isAsNoted(path: string): boolean {
    return this.noted.has(path) && this.noted.get(path) === sourceHash(path);
  }

  isSaved(path: string): boolean {
    const hash = this.saved.get(realPathIfThere(path));
    return hash !== undefined && hash === sourceHash(path);
  }

  /** Ends the round at once where nothing that calls started is left; else it stays open on disk for the next start. */
  async finish(): Promise<void> {
    clearTimeout(this.timer);
    if (this.isUnchecked && this.running === 0) await this.close(0);
    clearTimeout(this.timer);
    const { store } = this.parts;
    this.tryStore(() => (this.isOpen ? store?.handOver() : store?.leave()));
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

  /** The look that ends the round still counts what it finds as the agent's. */
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
      await this.parts.check();
    } catch {
      return; // The files cannot be looked at now: the next look is the one that ends the round.
    }
    if (this.calls !== calls) return;
    this.isUnchecked = false;
    if (this.isOpen) this.tryStore(() => this.parts.store?.endCalls());
    this.isOpen = false;
  }

  /** One small operation on the disk for each round of calls. */
  private open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.tryStore(() => this.parts.store?.beginCalls(this.behind.name));
  }

  private tryStore(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.parts.log.error(`That a tool call is open cannot be written down: ${messageOf(error)}`, error);
    }
  }
}

/** What approval wants to know of a tool. */
export type WatchedTool = Pick<AnyTool, 'actsInEditor'>;

/** A tool whose calls count as the agent's work on files. */
export function watchToolCalls(
  tool: AnyTool,
  during: <T>(tool: WatchedTool, call: () => Promise<T>) => Promise<T>,
): AnyTool {
  return {
    ...tool,
    execute: (...args: Parameters<AnyTool['execute']>) => during(tool, async () => await tool.execute(...args)),
  };
}
