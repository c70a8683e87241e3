import type { Discovery, HookFile } from '../../hook-load/files/discover';
import { mayGuardTools, mentionsToolCall } from '../../hook-load/files/find-gate';
import type { Slot } from '../../hook-load/files/hook-slot';
import { withFiles } from '../../hook-load/files/keep-unreadable';
import type { HookChange } from '../../hook-contract/hook-info';
import type { ApprovedContent } from '../../hook-load/graph/module-imports';
import type { AgentChanges } from './agent-changes';
import { changedFiles } from './changed-files';
import { fileOf, type ApprovedHook } from '../approval-store/approval-record';
import {
  decidingPlace,
  PLACES,
  type ApprovalStore,
  type Known,
  type KnownPlace,
  type PlaceName,
} from '../approval-store/approval-store';
import { beforePackage, inForce, packageChange, withoutClaimsOf, type PackageHolds } from './package-holds';
import type { UntrustedHooks } from './untrusted-hooks';
import type { SourceReads } from '../../hook-load/graph/source-reads';
import { defined } from '../../base/defined';

/** What a load does with a file that it does not simply load from disk. */
export type Plan =
  /** The slot is kept, with what runs in it. */
  | { readonly type: 'kept'; readonly slot: Slot }
  /** The text that was approved last runs. `held` says why, if the files on disk differ from it. */
  | { readonly type: 'stored'; readonly approved: ApprovedContent; readonly held?: WaitingFields }
  /** The approved copy of the hook's package runs; `path` is the hook's entry in it, absolute. */
  | { readonly type: 'copied'; readonly path: string; readonly held?: WaitingFields };

/** Why a slot waits for approval. */
export type WaitingFields = Pick<Slot, 'waiting' | 'stillRunning' | 'notSaved'>;

/**
 * A hook that changed since this folder was last used, and that runs in its new version; or a gate that was removed, also
 * while this process runs.
 */
export interface HookDifference {
  /** Absolute. */
  readonly path: string;
  readonly change: Exclude<HookChange, 'unknown'>;
  /** It was removed and checked tool calls, which nobody checks now in its place. */
  readonly wasGate?: true;
}

type Ledger = Pick<AgentChanges, 'isGuarding' | 'stillRunning' | 'useUpApproval' | 'isSaved' | 'note' | 'isAsNoted'>;

/** What {@link holdChanges} needs to decide. */
export interface HoldFacts {
  readonly approval: Ledger;
  /** The record of approved hooks; undefined if approvals are not stored. */
  readonly known: Known | undefined;
  readonly store: Pick<ApprovalStore, 'sourcesOf' | 'runsAtCall'> | undefined;
  /** Whether every change waits that was not saved in the editor. */
  readonly holdsAll: boolean;
  /** Places whose hooks were all searched for: in these, a file that was not found has been removed. */
  readonly seen: ReadonlySet<PlaceName>;
  /** Places that this process has checked before. */
  readonly checkedPlaces: ReadonlySet<PlaceName>;
  /** Values of {@link HookFile.from} for settings that name the same hooks at every start. */
  readonly lasting: readonly string[];
  /** Absent: nothing but files decides about hooks of packages. */
  readonly packages: PackageHolds | undefined;
  readonly untrusted: Pick<UntrustedHooks, 'changedByTools' | 'isAsBefore'>;
  /** What this reload read. */
  readonly reads: SourceReads;
}

export interface HoldResult<D> {
  /** The files found, and in their old places the removed files whose hooks keep running. */
  readonly found: D;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly differences: readonly HookDifference[];
}

/**
 * Decides which hooks keep running in their approved version although their files were changed, added or removed. A
 * held change stays held until the user approves, saves or undoes it; after a restart, too, if approvals are stored.
 */
export async function holdChanges<D extends Discovery & { readonly heldBack?: readonly HookFile[] }>(
  found: D,
  current: readonly Slot[],
  facts: HoldFacts,
): Promise<HoldResult<D>> {
  const pass = new HoldPass(current, new Set(found.leftOut), facts);
  for (const file of found.files) await pass.planFile(file);
  for (const file of found.heldBack ?? []) await pass.planUnapproved(file);
  const listed = new Set([...found.files, ...(found.heldBack ?? [])].map(file => file.path));
  const named = new Set(found.problems.flatMap(problem => problem.file ?? []));
  const lost = [...pass.vanishedHere(listed), ...(await pass.vanishedBefore(listed, named))];
  const kept = [...pass.inForce.values()];
  const order = [...pass.approvedFiles(), ...current.map(({ file }) => file)];
  const files = found.files.map(file => pass.inForce.get(file.path) ?? file);
  const unapproved = found.heldBack?.filter(({ path }) => !pass.inForce.has(path));
  const heldBack = unapproved && withoutClaimsOf([...lost, ...kept], unapproved);
  return {
    found: { ...found, files: withFiles(files, [...lost, ...kept], order), ...defined({ heldBack }) },
    plans: pass.plans,
    differences: pass.differences,
  };
}

class HoldPass {
  readonly plans = new Map<string, Plan>();
  /** Files of packages that are changed or turned off, as they are loaded while that is held. */
  readonly inForce = new Map<string, HookFile>();
  readonly differences: HookDifference[] = [];
  private readonly before: ReadonlyMap<string, Slot>;

  constructor(
    private readonly current: readonly Slot[],
    private readonly leftOut: ReadonlySet<string>,
    private readonly facts: HoldFacts,
  ) {
    this.before = new Map(current.map(slot => [slot.file.path, slot]));
  }

  /** Makes the plan for a file that exists. */
  async planFile(file: HookFile): Promise<void> {
    const { approval, reads } = this.facts;
    const slot = this.before.get(file.path);
    const isLeft = approval.useUpApproval(file.path, reads) || file.unsupported !== undefined;
    const isOff = file.disabled === true;
    const isSettled = isLeft || (await this.planPackage(file, slot)) === 'settled';
    if (this.plans.has(file.path)) return;
    const plan = isSettled ? undefined : await (isOff ? this.planForOff(file) : this.planFor(file, slot));
    if (plan === undefined) approval.note(file.path, reads);
    else this.plans.set(file.path, plan);
  }

  /** Makes the plan for a file whose package is not approved: if the agent changed it, the approved version runs. */
  async planUnapproved(file: HookFile): Promise<void> {
    const { approval, reads } = this.facts;
    if (file.unapproved === undefined || approval.useUpApproval(file.path, reads)) return;
    await this.planPackage(file, this.before.get(file.path));
  }

  /**
   * Makes the plan for a file of a package if its package was changed or turned off, and not by the user. `settled`: the
   * package is as approved, so nothing else is to be compared. `open`: the rules for files decide.
   */
  private async planPackage(file: HookFile, slot: Slot | undefined): Promise<'settled' | 'open'> {
    const { packages } = this.facts;
    if (file.packaged === undefined || packages === undefined || isTurnedOff(file)) return 'open';
    const running = slot === undefined || isIdle(slot) || isNew(slot) ? undefined : slot;
    const hook = this.approvedBefore(file);
    const was = running?.file.packaged ?? (hook && fileOf(hook).packaged);
    if (was === undefined) return packages.isDecided(beforePackage(file.packaged)) ? 'settled' : 'open';
    const change = packageChange(file, was);
    if (change === undefined) return was.content === undefined ? 'open' : 'settled';
    const held = this.heldBefore(file);
    const isHeld = this.isStrict(file) || running?.waiting !== undefined || held !== undefined;
    if (!isHeld || packages.isDecided(was)) return 'settled';
    this.inForce.set(file.path, inForce(file, was));
    if (running !== undefined) {
      this.plans.set(file.path, { type: 'kept', slot: this.waitingSlot(running, change) });
    } else if (hook !== undefined) {
      this.plans.set(file.path, await this.stored(hook, { waiting: change, ...this.why(held) }));
    }
    return 'settled';
  }

  /** Files of running or waiting hooks of this process that were removed and whose removal is held. */
  vanishedHere(listed: ReadonlySet<string>): readonly HookFile[] {
    const { approval, reads } = this.facts;
    const gone = this.current.filter(({ file, live, waiting }) => {
      const isThere = listed.has(file.path) || (live === undefined && waiting !== 'vanished');
      if (isThere || approval.useUpApproval(file.path, reads)) return false;
      if (this.isApprovedElsewhere(file, undefined) || this.isDecided(file)) return false;
      if (this.isStrict(file) || waiting !== undefined || this.heldBefore(file) !== undefined) return true;
      if (live?.hook.features.events.has('tool_call') === true) this.gateIsGone(file);
      return false;
    });
    for (const slot of gone) this.plans.set(slot.file.path, { type: 'kept', slot: this.waitingSlot(slot, 'vanished') });
    return gone.map(slot => slot.file);
  }

  /** Files that were approved when the folder was last used, and whose removal since then is held. */
  async vanishedBefore(listed: ReadonlySet<string>, named: ReadonlySet<string>): Promise<readonly HookFile[]> {
    const files: HookFile[] = [];
    for (const hook of this.approvedHooks()) {
      const file = fileOf(hook);
      const isHere = listed.has(file.path) || this.isOfCurrentSet(file) || !this.facts.seen.has(this.placeOf(file));
      if (isHere || !isLasting(hook, this.facts.lasting, named)) continue;
      if (this.facts.approval.useUpApproval(file.path, this.facts.reads) || this.isDecided(file)) continue;
      const held = this.heldBefore(file);
      if (held === undefined && !this.isStrict(file)) {
        if (this.facts.store?.sourcesOf(hook)?.some(({ text }) => mentionsToolCall(text)) === true) {
          this.gateIsGone(file);
        } else this.differences.push({ path: file.path, change: 'vanished' });
        continue;
      }
      this.plans.set(file.path, await this.stored(hook, { waiting: 'vanished', ...this.why(held) }));
      files.push(file);
    }
    return files;
  }

  private gateIsGone({ path }: HookFile): void {
    this.differences.push({ path, change: 'vanished', wasGate: true });
  }

  /**
   * Whether this process decides about the file. If it was only listed or failed to load, the approved version decides.
   */
  private isOfCurrentSet({ path }: HookFile): boolean {
    const slot = this.before.get(path);
    if (slot === undefined || slot.heldBack === true) return false;
    return slot.live !== undefined || slot.waiting !== undefined || slot.file.disabled === true;
  }

  approvedFiles(): readonly HookFile[] {
    return this.approvedHooks().map(fileOf);
  }

  /** A hook that is turned off does not run; a change that is held waits from when it is turned on. */
  private async planForOff(file: HookFile): Promise<Plan | undefined> {
    const { approval, known, reads } = this.facts;
    const hook = this.approvedBefore(file);
    const held = this.heldBefore(file);
    const isLost = known?.[this.placeOf(file)].memory === 'lost';
    if (held === undefined && !isLost && !this.isStrict(file)) return undefined;
    const isUnchanged = hook === undefined && held === undefined && !isLost && approval.isAsNoted(file.path, reads);
    const changed = hook === undefined ? [file.path] : changedFiles(hook, reads);
    if (isUnchanged || changed.every(path => approval.isSaved(path, reads))) return undefined;
    const waiting = isLost ? 'unknown' : hook === undefined ? 'appeared' : 'changed';
    const why = held ?? { waiting, ...this.why(undefined) };
    return { type: 'kept', slot: { file, gatesTools: await mayGuardTools(file.path), ...why } };
  }

  private async planFor(file: HookFile, slot: Slot | undefined): Promise<Plan | undefined> {
    if (slot === undefined || isIdle(slot)) return await this.planForFresh(file, slot);
    const isHeld = this.isStrict(file) || slot.waiting !== undefined || this.heldBefore(file) !== undefined;
    if (!isHeld || this.isApprovedElsewhere(file, this.approvedBefore(file))) return undefined;
    const kept = await this.keptSlot(file, slot);
    return kept === undefined ? undefined : { type: 'kept', slot: kept };
  }

  /** Makes the plan for a file that this process has not loaded: what was approved before decides. */
  private async planForFresh(file: HookFile, slot: Slot | undefined): Promise<Plan | undefined> {
    const hook = this.approvedBefore(file);
    const held = this.heldBefore(file);
    if (hook === undefined) return await this.planForNew(file, slot, held);
    const { approval, reads } = this.facts;
    const changed = changedFiles(hook, reads);
    const isHeld = this.isStrict(file) || (held !== undefined && changed.length > 0);
    if (changed.length > 0 && changed.every(path => approval.isSaved(path, reads))) return undefined;
    if (isHeld) {
      return await this.stored(hook, changed.length > 0 ? { waiting: 'changed', ...this.why(held) } : undefined);
    }
    if (changed.length > 0) this.differences.push({ path: file.path, change: 'changed' });
    return undefined;
  }

  private async planForNew(
    file: HookFile,
    slot: Slot | undefined,
    held: WaitingFields | undefined,
  ): Promise<Plan | undefined> {
    const { approval, known, reads } = this.facts;
    const place = known?.[this.placeOf(file)];
    if (approval.isSaved(file.path, reads) || (file.origin === 'explicit' && slot === undefined)) return undefined;
    const change = this.changeOfNew(file, place, held);
    if (change === undefined) {
      // If no hook was approved before, the folder may just have been trusted.
      const isNoted =
        place !== undefined && place.approved.size > 0 && !this.facts.checkedPlaces.has(this.placeOf(file));
      if (isNoted) this.differences.push({ path: file.path, change: 'appeared' });
      return undefined;
    }
    // If the record is missing, this text may not be the approved one, so it does not show what that would have
    // blocked.
    const gatesTools = change === 'unknown' || (await mayGuardTools(file.path));
    const why = held === undefined ? {} : this.why(held);
    const problems = change === 'unknown' ? { problems: [UNKNOWN] } : {};
    return {
      type: 'kept',
      slot: this.waitingSlot({ file, gatesTools, ...problems, ...keptWords(slot), ...why }, change),
    };
  }

  private changeOfNew(
    file: HookFile,
    place: KnownPlace | undefined,
    held: WaitingFields | undefined,
  ): HookChange | undefined {
    if (place?.memory === 'lost') return 'unknown';
    if (held !== undefined) return held.waiting === 'unknown' ? 'unknown' : 'appeared';
    if (this.facts.untrusted.changedByTools.has(file.path)) return 'appeared';
    const isFirst = place?.memory === 'none' && !this.facts.checkedPlaces.has(this.placeOf(file));
    return this.isStrict(file) && !isFirst && !this.wasThereUntrusted(file, place) ? 'appeared' : undefined;
  }

  /** Whether the user had this hook before the calls, and decides about it by trusting the folder. */
  private wasThereUntrusted({ path }: HookFile, place: KnownPlace | undefined): boolean {
    const { holdsAll, untrusted, store, reads } = this.facts;
    if (holdsAll && place !== undefined && place.approved.size > 0) return false;
    return untrusted.isAsBefore(path, reads) && (store?.runsAtCall('folder') ?? []).length === 0;
  }

  private async keptSlot(file: HookFile, slot: Slot): Promise<Slot | undefined> {
    const { approval, reads } = this.facts;
    const { live, rejected, waiting } = slot;
    if (isNew(slot) && waiting !== undefined) {
      if (approval.isSaved(file.path, reads)) return undefined;
      const gatesTools = waiting === 'unknown' || (await mayGuardTools(file.path));
      return this.waitingSlot({ ...slot, file, gatesTools }, waiting);
    }
    if (live === undefined) {
      if (slot.approved !== undefined && changedFiles(slot.approved, reads).length === 0) return undefined;
      if (approval.isAsNoted(file.path, reads)) return settled(slot, file);
      return approval.isSaved(file.path, reads) ? undefined : this.waitingSlot({ ...slot, file }, 'changed');
    }
    const changed = changedFiles(live.module, reads);
    if (changed.length === 0 || (rejected !== undefined && changedFiles(rejected, reads).length === 0)) {
      return changed.length === 0 ? undefined : settled(slot, file);
    }
    if (changed.every(path => approval.isSaved(path, reads))) return undefined;
    return this.waitingSlot({ ...slot, file }, 'changed');
  }

  /** The plan to run the approved version. Without its texts nothing runs, and a changed hook counts as a gate. */
  private async stored(hook: ApprovedHook, held: WaitingFields | undefined): Promise<Plan> {
    const file = fileOf(hook);
    if (file.packaged?.content !== undefined) {
      const path = await this.facts.packages?.approvedFile(file.packaged);
      if (path !== undefined) return { type: 'copied', path, ...defined({ held }) };
    } else {
      const sources = this.facts.store?.sourcesOf(hook);
      if (sources !== undefined) {
        return { type: 'stored', approved: { sources, imports: hook.imports }, ...defined({ held }) };
      }
    }
    const gatesTools = held !== undefined || (await mayGuardTools(file.path));
    return { type: 'kept', slot: { file, gatesTools, problems: [LOST_TEXT], waiting: 'unknown', ...held } };
  }

  /** A slot that waits. Why it waits is set when the change is first seen, and does not change later. */
  private waitingSlot(slot: Slot, waiting: HookChange): Slot {
    return { ...slot, waiting, ...(slot.waiting === undefined ? this.why(undefined) : {}) };
  }

  private why(held: WaitingFields | undefined): WaitingFields {
    if (held !== undefined) {
      const { stillRunning, notSaved } = held;
      return defined({ stillRunning, notSaved });
    }
    const { approval, known, holdsAll } = this.facts;
    if (approval.stillRunning !== undefined) return { stillRunning: approval.stillRunning };
    const isAgents = approval.isGuarding || known?.user.isAtCall === true || known?.folder.isAtCall === true;
    return holdsAll && !isAgents ? { notSaved: true } : {};
  }

  private isStrict(file: HookFile): boolean {
    const { approval, known, holdsAll } = this.facts;
    return holdsAll || approval.isGuarding || known?.[this.placeOf(file)].isAtCall === true;
  }

  /** Whether the user decided in a window or a terminal what happened to the package of a file. */
  private isDecided({ packaged }: HookFile): boolean {
    return packaged !== undefined && this.facts.packages?.isDecided(packaged) === true;
  }

  /** Whether the user approved the current version in another process; does not count while calls run here. */
  private isApprovedElsewhere(file: HookFile, hook: ApprovedHook | undefined): boolean {
    const { approval, known, reads } = this.facts;
    if (approval.isGuarding || known?.[this.placeOf(file)].memory !== 'kept') return false;
    if (this.heldBefore(file) !== undefined || known[this.placeOf(file)].isAtCall) return false;
    if (hook === undefined) return this.before.get(file.path)?.waiting === 'vanished' && !this.approvedBefore(file);
    return changedFiles(hook, reads).length === 0;
  }

  private approvedBefore(file: HookFile): ApprovedHook | undefined {
    const { known } = this.facts;
    // Earlier versions recorded hooks of the user's packages with the folder only.
    return known?.[this.placeOf(file)].approved.get(file.path) ?? known?.folder.approved.get(file.path);
  }

  private placeOf(file: HookFile): PlaceName {
    return decidingPlace(file, this.leftOut);
  }

  private heldBefore(file: HookFile): WaitingFields | undefined {
    const held = this.facts.known?.[this.placeOf(file)].held.get(file.path);
    if (held === undefined) return undefined;
    const { change, stillRunning, notSaved } = held;
    return {
      waiting: change,
      ...defined({ stillRunning, notSaved }),
    };
  }

  private approvedHooks(): readonly ApprovedHook[] {
    const { known } = this.facts;
    return PLACES.flatMap(name =>
      [...(known?.[name].approved.values() ?? [])].filter(hook => this.placeOf(fileOf(hook)) === name),
    );
  }
}

/** Whether a slot shows a file that this process does not run. */
function isIdle({ file, heldBack }: Slot): boolean {
  return file.disabled === true || heldBack === true;
}

/** Whether the user turned off this file, and not its package. */
function isTurnedOff({ disabled, packaged }: HookFile): boolean {
  return disabled === true && packaged?.off !== true;
}

/** Whether a slot waits and has no approved version that could run. */
function isNew({ waiting }: Slot): boolean {
  return waiting === 'appeared' || waiting === 'unknown';
}

const UNKNOWN = { message: 'The record of approved hooks for this folder is missing.' };
const LOST_TEXT = { message: 'The approved text is no longer stored.' };

/**
 * Whether a hook that was not found would be found again at every start, so that its absence means that it was removed.
 */
export function isLasting(
  { origin, from = '', entry }: ApprovedHook,
  lasting: readonly string[],
  named: ReadonlySet<string>,
): boolean {
  if (origin === 'explicit') return false;
  return origin !== 'settings' || /^(?:hooks|extensions) in /.test(from) || lasting.includes(from) || named.has(entry);
}

function settled(slot: Slot, file: HookFile): Slot {
  const rest: { -readonly [K in keyof Slot]: Slot[K] } = { ...slot, file };
  delete rest.waiting;
  delete rest.stillRunning;
  delete rest.notSaved;
  return rest;
}

function keptWords(slot: Slot | undefined): WaitingFields {
  const { waiting, stillRunning, notSaved } = slot ?? {};
  return defined({ waiting, stillRunning, notSaved });
}
