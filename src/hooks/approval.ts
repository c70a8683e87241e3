import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { toDisposable, type Disposable } from '../base/disposable';
import type { AnyTool } from '../agent/tools/tool';
import type { Discovery, HookFile } from './discover';
import type { HookChange } from './hook';
import { gatesByText, type Slot } from './hook-slot';
import type { HookModule } from './loader/hook-module';
import { withFiles } from './keep-unseen';

/** How long after the end of a tool call what lies on disk still counts as its work, ms: longer than watchers take. */
const AFTERMATH_MS = 1_000;

/**
 * Tells what the agent's tools did to hook files from what a person did (issue 6, "waiting for approval"). While a tool
 * call runs, and until the files were looked at after it, a change counts as the agent's unless the person saved exactly
 * that text in the editor or named the file.
 */
export class HookApproval implements Disposable {
  private readonly saved = new Map<string, string | undefined>();
  private readonly noted = new Map<string, string | undefined>();
  private readonly approved = new Set<string>();
  private running = 0;
  private isUnchecked = false;
  private timer: NodeJS.Timeout | undefined;

  /** `check` looks at the files again; it is asked to once after each round of tool calls. */
  constructor(private readonly check: () => Promise<unknown>) {}

  /** Whether changes that are found now are the agent's. */
  get isGuarding(): boolean {
    return this.running > 0 || this.isUnchecked;
  }

  /** A tool call runs until the result is disposed. */
  begin(): Disposable {
    this.running++;
    this.isUnchecked = true;
    clearTimeout(this.timer);
    return toDisposable(() => {
      if (--this.running > 0) return;
      this.timer = setTimeout(() => void this.close(), AFTERMATH_MS);
      this.timer.unref();
    });
  }

  /** The person saved this file in the editor, as it lies on disk now. */
  savedByPerson(path: string): void {
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
    clearTimeout(this.timer);
  }

  /** The look that ends the round still counts what it finds as the agent's. */
  private async close(): Promise<void> {
    try {
      await this.check();
    } catch {
      return; // The files cannot be looked at now: the next look is the one that ends the round.
    }
    if (this.running === 0) this.isUnchecked = false;
  }
}

type Ledger = Omit<HookApproval, 'begin' | 'savedByPerson' | 'approve' | 'dispose'>;

/** Tools whose calls count as the agent's work on files. */
export function watchToolCalls(tools: readonly AnyTool[], begin: () => Disposable): readonly AnyTool[] {
  return tools.map(tool => ({
    ...tool,
    async execute(...args: Parameters<AnyTool['execute']>) {
      const call = begin();
      try {
        return await tool.execute(...args);
      } finally {
        call.dispose();
      }
    },
  }));
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
  for (const slot of vanished) held.set(slot.file.path, { ...slot, waiting: 'vanished' });
  const lost = vanished.map(slot => slot.file);
  return { held, found: lost.length === 0 ? found : { ...found, files: withFiles(found.files, lost, current) } };
}

async function heldSlot(file: HookFile, slot: Slot | undefined, approval: Ledger): Promise<Slot | undefined> {
  const waits = (waiting: HookChange): Slot => ({ ...slot, file, waiting });
  const settled = (): Slot => {
    const rest: { -readonly [K in keyof Slot]: Slot[K] } = { ...slot, file };
    delete rest.waiting;
    return rest;
  };
  const isNew = slot === undefined || slot.file.disabled === true || slot.heldBack === true;
  if (isNew || slot.waiting === 'appeared') {
    if (approval.isSaved(file.path)) return undefined;
    return { file, waiting: 'appeared', gatesTools: await gatesByText(file.path) };
  }
  const { live, rejected } = slot;
  if (live === undefined) {
    if (approval.isAsNoted(file.path)) return settled();
    return approval.isSaved(file.path) ? undefined : waits('changed');
  }
  const changed = changedSources(live.module);
  if (changed.length === 0 || (rejected !== undefined && changedSources(rejected).length === 0)) {
    return changed.length === 0 ? undefined : settled();
  }
  return changed.every(path => approval.isSaved(path)) ? undefined : waits('changed');
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
    return createHash('sha256').update(readFileSync(path, 'utf8')).digest('hex');
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
