import type { HookFile } from '../../hook-load/files/discover';
import type { Slot } from '../../hook-load/files/hook-slot';
import { contentOf } from '../../hook-load/graph/hook-module';
import { HookSource } from '../../hook-load/graph/hook-source';
import { approvedAs, type ApprovedHook, type HeldHook, type HookList } from '../approval-store/approval-record';
import { decidingPlace, placesOf, type PlaceName, type Remembered } from '../approval-store/approval-store';
import { isLasting } from './hold-changes';
import { defined } from '../../base/defined';

/** The result of a load from which the record is made. */
export interface LoadedState {
  readonly slots: readonly Slot[];
  readonly lists: readonly HookList[];
  /** Hooks that tools made or changed while the folder was not trusted. */
  readonly changedByTools: ReadonlySet<string>;
  /** See `HoldFacts`. */
  readonly seen: ReadonlySet<PlaceName>;
  readonly lasting: readonly string[];
  /** Files that settings name and that do not exist. */
  readonly named: ReadonlySet<string>;
  /** See `Discovery`. */
  readonly leftOut: ReadonlySet<string>;
}

/** The texts of the hooks of a place that this load approves. */
export function textsOf(name: PlaceName, { slots }: LoadedState): readonly HookSource[] {
  return slots.filter(({ file }) => placesOf(file).includes(name)).flatMap(slot => sourcesOf(slot) ?? []);
}

/**
 * The new record of a place after a load. Hooks that run are approved; changes that wait are held. Hooks that were not
 * searched for stay in the record unchanged.
 */
export function rememberedAfter(name: PlaceName, state: LoadedState, before: Remembered): Remembered {
  const own = state.slots.filter(({ file, heldBack }) => heldBack !== true && placesOf(file).includes(name));
  const here = new Set(own.map(({ file }) => file.path));
  const was = new Map(before.approved.map(hook => [hook.path, hook]));
  const approved = own.flatMap(slot => approvedIn(slot, was.get(slot.file.path)) ?? []);
  // What the folder leaves out of the user's packages says nothing about other folders.
  const isElsewhere = (path: string): boolean => !state.seen.has(name) || (name === 'user' && state.leftOut.has(path));
  const isUnseen = (hook: ApprovedHook): boolean =>
    !here.has(hook.path) && (isElsewhere(hook.path) || !isLasting(hook, state.lasting, state.named));
  const held = own.flatMap((slot): HeldHook[] =>
    slot.waiting === undefined || decidingPlace(slot.file, state.leftOut) !== name ? [] : [heldIn(slot, slot.waiting)],
  );
  const unseen = before.held.filter(({ path }) => !here.has(path) && isElsewhere(path));
  const all = [...held, ...unseen, ...untrustedIn(name, state, unseen)];
  return {
    approved: [...approved, ...before.approved.filter(isUnseen)],
    held: all,
    lists: all.length === 0 ? listsIn(name, state) : before.lists,
  };
}

/** Hooks that wait from when the folder is trusted. */
function untrustedIn(
  name: PlaceName,
  { seen, changedByTools }: LoadedState,
  held: readonly HeldHook[],
): readonly HeldHook[] {
  if (name !== 'folder' || seen.has(name)) return [];
  const known = new Set(held.map(({ path }) => path));
  return [...changedByTools].filter(path => !known.has(path)).map(path => ({ path, change: 'appeared' }));
}

/** All lists of settings, even the user's, are stored with the folder. */
function listsIn(name: PlaceName, { lists }: LoadedState): HookList[] {
  return name === 'folder' ? [...lists] : [];
}

function approvedIn(slot: Slot, before: ApprovedHook | undefined): ApprovedHook | undefined {
  const { file, live, waiting } = slot;
  if (file.disabled === true) return before;
  // The running version is known to be approved; the record on disk may have been changed by what changed the hook.
  if (live !== undefined) return approvedAs(file, { sources: contentOf(live.module), imports: live.module.imports });
  if (waiting !== undefined) return before;
  const sources = sourcesOf(slot);
  return sources === undefined ? undefined : approvedAs(file, { sources, imports: [] });
}

function sourcesOf({ file, live, heldBack, waiting }: Slot): readonly HookSource[] | undefined {
  if (live !== undefined) return contentOf(live.module);
  if (heldBack === true || waiting !== undefined || !isCode(file)) return undefined;
  // A hook that fails to load is stored as it is; a change by a tool would wait for approval anyway.
  const source = HookSource.readIfPossible(file.path);
  return source && [source];
}

function isCode({ disabled, unsupported }: HookFile): boolean {
  return disabled !== true && unsupported === undefined;
}

function heldIn({ file, stillRunning, notSaved }: Slot, change: HeldHook['change']): HeldHook {
  return {
    path: file.path,
    change,
    ...defined({ stillRunning, notSaved }),
  };
}
