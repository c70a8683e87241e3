import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readRegularTextSync } from '../../base/regular-file';
import type { Disposable } from '../../base/disposable';
import { LeftBehind, type LeftoverProcess } from '../../agent/tools/shell/left-behind';
import type { AnyTool } from '../../agent/tools/tool';
import type { Discovery, HookFile } from './discover';
import type { HookChange } from '../hook';
import { guardsTools } from './find-gate';
import type { Slot } from './hook-slot';
import type { HookModule } from '../load/hook-module';
import { withFiles } from './keep-unseen';

/** How long after the end of a tool call what lies on disk still counts as its work, ms: longer than watchers take. */
const AFTERMATH_MS = 1_000;

/** Between two looks at what the agent's commands left running, ms; the last goes on. A look reads all of `/proc`. */
const LOOKS_MS = [500, 1_000, 2_000, 5_000];

/**
 * Tells what the agent's tools did to hook files from what a person did. While a tool
 * call runs, while a process lives that one started, and until the files were looked at after it, a change counts as
 * the agent's unless the person saved exactly that text in the editor or named the file.
 */
export class HookApproval implements Disposable {
  private readonly saved = new Map<string, string | undefined>();
  private readonly noted = new Map<string, string | undefined>();
  private readonly approved = new Set<string>();
  private leftovers: readonly LeftoverProcess[] = [];
  private running = 0;
  private inEditor = 0;
  /** Counts tool calls: a look that began before one says nothing about it. */
  private calls = 0;
  private isUnchecked = false;
  private isDisposed = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * `check` looks at the files again; it is asked to once after each round of tool calls and what they left running.
   */
  constructor(
    private readonly check: () => Promise<unknown>,
    private readonly behind: Pick<LeftBehind, 'during' | 'look'> = new LeftBehind(),
  ) {}

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

  /** This file was saved in the editor, as it lies on disk now: by the person, unless a tool acts there. */
  savedByPerson(path: string): void {
    if (this.inEditor > 0) return;
    this.saved.set(realOf(path), hashOf(path));
  }

  /** The person wants this hook to be as it lies on disk at the next look. */
  approve(path: string): void {
    this.approved.add(path);
  }

  /** Whether the person wants this hook to be as it is; asked once per look. */
  takeApproval(path: string): boolean {
    return this.approved.delete(path);
  }

  /** Remembers the text of a file that is about to be loaded, for when it fails to. */
  note(path: string): void {
    this.noted.set(path, hashOf(path));
  }

  isAsNoted(path: string): boolean {
    return this.noted.has(path) && this.noted.get(path) === hashOf(path);
  }

  isSaved(path: string): boolean {
    const hash = this.saved.get(realOf(path));
    return hash !== undefined && hash === hashOf(path);
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
    const leftovers = await this.behind.look();
    if (this.calls !== calls) return;
    this.leftovers = leftovers;
    if (leftovers.length > 0) {
      this.closeIn(LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)] ?? 0, looks + 1);
      return;
    }
    try {
      await this.check();
    } catch {
      return; // The files cannot be looked at now: the next look is the one that ends the round.
    }
    if (this.calls === calls) this.isUnchecked = false;
  }
}

type Ledger = Omit<HookApproval, 'duringCall' | 'savedByPerson' | 'approve' | 'dispose'>;

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

/**
 * Slots that stay as they are although their files were changed, planted or removed, by path; and the files found, with
 * those that were removed back in their places. A held change stays held until it is approved, saved or undone.
 */
export async function holdChanges<D extends Discovery & { readonly heldBack?: readonly HookFile[] }>(
  found: D,
  current: readonly Slot[],
  approval: Ledger,
): Promise<{ readonly found: D; readonly held: ReadonlyMap<string, Slot> }> {
  const held = new Map<string, Slot>();
  const before = new Map(current.map(slot => [slot.file.path, slot]));
  for (const file of found.files) {
    const slot = before.get(file.path);
    const isApproved = approval.takeApproval(file.path);
    const isStrict = !isApproved && (approval.isGuarding || slot?.waiting !== undefined);
    const kept = isStrict && file.disabled !== true ? await heldSlot(file, slot, approval) : undefined;
    if (kept !== undefined) held.set(file.path, kept);
    else approval.note(file.path);
  }
  const listed = new Set([...found.files, ...(found.heldBack ?? [])].map(file => file.path));
  const vanished = current.filter(slot => {
    if (listed.has(slot.file.path) || slot.live === undefined || approval.takeApproval(slot.file.path)) return false;
    return approval.isGuarding || slot.waiting !== undefined;
  });
  for (const slot of vanished) held.set(slot.file.path, waitingSlot(slot, 'vanished', approval));
  const lost = vanished.map(slot => slot.file);
  return { held, found: lost.length === 0 ? found : { ...found, files: withFiles(found.files, lost, current) } };
}

async function heldSlot(file: HookFile, slot: Slot | undefined, approval: Ledger): Promise<Slot | undefined> {
  const settled = (): Slot => {
    const rest: { -readonly [K in keyof Slot]: Slot[K] } = { ...slot, file };
    delete rest.waiting;
    delete rest.stillRunning;
    return rest;
  };
  const isNew = slot === undefined || slot.file.disabled === true || slot.heldBack === true;
  if (isNew || slot.waiting === 'appeared') {
    if (approval.isSaved(file.path)) return undefined;
    const gatesTools = await guardsTools(file.path);
    return waitingSlot({ file, gatesTools, ...keptWords(slot) }, 'appeared', approval);
  }
  const { live, rejected } = slot;
  if (live === undefined) {
    if (approval.isAsNoted(file.path)) return settled();
    return approval.isSaved(file.path) ? undefined : waitingSlot({ ...slot, file }, 'changed', approval);
  }
  const changed = changedSources(live.module);
  if (changed.length === 0 || (rejected !== undefined && changedSources(rejected).length === 0)) {
    return changed.length === 0 ? undefined : settled();
  }
  if (changed.every(path => approval.isSaved(path))) return undefined;
  return waitingSlot({ ...slot, file }, 'changed', approval);
}

/** What the agent had running when the change was first seen says why it waits, also later. */
function waitingSlot(slot: Slot, waiting: HookChange, { stillRunning }: Ledger): Slot {
  const isNew = slot.waiting === undefined;
  return { ...slot, waiting, ...(isNew && stillRunning !== undefined ? { stillRunning } : {}) };
}

function keptWords(slot: Slot | undefined): Pick<Slot, 'waiting' | 'stillRunning'> {
  const { waiting, stillRunning } = slot ?? {};
  return { ...(waiting === undefined ? {} : { waiting }), ...(stillRunning === undefined ? {} : { stillRunning }) };
}

function changedSources(module: HookModule): readonly string[] {
  return module.sources.filter(source => hashOf(source.path) !== source.hash).map(source => source.path);
}

/** A source of a hook that a tool changed. */
export interface HeldSource {
  /** Absolute. */
  readonly path: string;
  /** What runs; undefined when nothing of it does. */
  readonly running: string | undefined;
}

/** What waits for approval in a slot: the sources that are not as they were loaded, or the entry of what is new. */
export function heldSourcesOf({ file, live, waiting }: Slot): readonly HeldSource[] {
  if (live === undefined) return [{ path: file.path, running: undefined }];
  const changed = waiting === 'vanished' ? [file.path] : changedSources(live.module);
  return live.module.sources
    .filter(source => changed.includes(source.path))
    .map(({ path, text }) => ({ path, running: text }));
}

function hashOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readRegularTextSync(path)).digest('hex');
  } catch {
    return undefined; // Gone or unreadable: like no text that there ever was.
  }
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // Gone meanwhile: nothing will be found under the name either.
  }
}
