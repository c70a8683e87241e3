import type { HookFile } from '../host/discover';
import type { Slot } from '../host/hook-slot';
import { hashOf } from '../load/compile/compile-cache';
import type { HookSource } from '../load/hook-module';
import { approvedAs, type ApprovedHook, type HeldHook, type HookList } from './approval-record';
import { placeName, type PlaceName, type Remembered } from './approval-store';
import { isLasting } from './hold-changes';
import { sourceText } from './source-text';

/** What a load came to, as far as it is to be remembered. */
export interface LoadedState {
  readonly slots: readonly Slot[];
  readonly lists: readonly HookList[];
  /** See `LookFacts`. */
  readonly seen: ReadonlySet<PlaceName>;
  readonly lasting: readonly string[];
  /** Files that were named and are not there. */
  readonly named: ReadonlySet<string>;
}

/** Texts that approvals of this load rest on. */
export function textsOf(name: PlaceName, { slots }: LoadedState): readonly HookSource[] {
  return slots.filter(({ file }) => placeName(file) === name).flatMap(slot => sourcesOf(slot) ?? []);
}

/**
 * What to remember of a place after a load. What runs is what was approved; what waits is held beside it. Hooks that could
 * not be seen stay as they were.
 */
export function rememberedAfter(name: PlaceName, state: LoadedState, before: Remembered): Remembered {
  const own = state.slots.filter(({ file, heldBack }) => heldBack !== true && placeName(file) === name);
  const here = new Set(own.map(({ file }) => file.path));
  const was = new Map(before.approved.map(hook => [hook.path, hook]));
  const approved = own.flatMap(slot => approvedIn(slot, was.get(slot.file.path)) ?? []);
  const isUnseen = (hook: ApprovedHook): boolean =>
    !here.has(hook.path) && (!state.seen.has(name) || !isLasting(hook, state.lasting, state.named));
  const held = own.flatMap((slot): HeldHook[] => (slot.waiting === undefined ? [] : [heldIn(slot, slot.waiting)]));
  const unseen = before.held.filter(({ path }) => !here.has(path) && !state.seen.has(name));
  const all = [...held, ...unseen];
  return {
    approved: [...approved, ...before.approved.filter(isUnseen)],
    held: all,
    lists: all.length === 0 ? listsIn(name, state) : before.lists,
  };
}

/** The lists of settings belong to the folder, whose hooks they name, whoever's they are. */
function listsIn(name: PlaceName, { lists }: LoadedState): HookList[] {
  return name === 'folder' ? [...lists] : [];
}

function approvedIn(slot: Slot, before: ApprovedHook | undefined): ApprovedHook | undefined {
  const { file, live, waiting } = slot;
  if (file.disabled === true) return before;
  // What runs here is known to be right; what is on disk may have been changed by whoever changed the hook.
  if (live !== undefined) return approvedAs(file, live.module);
  if (waiting !== undefined) return before;
  const sources = sourcesOf(slot);
  return sources === undefined ? undefined : approvedAs(file, { sources, imports: [] });
}

function sourcesOf({ file, live, heldBack, waiting }: Slot): readonly HookSource[] | undefined {
  if (live !== undefined) return live.module.sources;
  if (heldBack === true || waiting !== undefined || !isCode(file)) return undefined;
  // It fails to load: changed by a tool, it waits anyway.
  const text = sourceText(file.path);
  return text === undefined ? undefined : [{ path: file.path, text, hash: hashOf(text) }];
}

function isCode({ disabled, unsupported }: HookFile): boolean {
  return disabled !== true && unsupported === undefined;
}

function heldIn({ file, stillRunning, notSaved }: Slot, change: HeldHook['change']): HeldHook {
  return {
    path: file.path,
    change,
    ...(stillRunning === undefined ? {} : { stillRunning }),
    ...(notSaved === undefined ? {} : { notSaved }),
  };
}
