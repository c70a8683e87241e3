import { isDeepStrictEqual } from 'node:util';
import type { FileOfPackage } from '../../agent/resources/package-origin';
import { writeSetting } from '../../agent/settings/write-setting';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import {
  PLACES,
  type ApprovalStore,
  type Known,
  type KnownPlace,
  type PlaceName,
} from '../approval-store/approval-store';
import type { Discovery, HookFile } from '../../hook-load/files/discover';
import type { Slot } from '../../hook-load/files/hook-slot';
import { AgentChanges } from './agent-changes';
import type { HeldFiles } from './held-files';
import { heldSourcesOf } from './held-sources';
import type { HookList } from '../approval-store/approval-record';
import { holdChanges, type HookDifference, type HoldResult } from './hold-changes';
import type { SourceReads } from '../../hook-load/graph/source-reads';
import type { PackageHolds } from './package-holds';
import { UntrustedHooks, type UntrustedHooksParts } from './untrusted-hooks';
import { rememberedAfter, textsOf, type LoadedState } from './remembered';
import { restoreHook } from './restore-hook';
import { contentOf, type HookImport } from '../../hook-load/graph/hook-module';

/** What is needed to store approvals. */
export interface KeptApprovals {
  readonly store: ApprovalStore;
  /** If false, approvals are read but never written, as in a process that only tests hooks. */
  readonly writes: boolean;
  /** See `ApprovalParts.files`. */
  readonly files?: HeldFiles | undefined;
  /** Returns the current lists in settings files that name hooks. */
  readonly lists: () => readonly HookList[];
  /** Whether folders are searched for hooks; if not, a hook that was not found does not count as removed. */
  readonly search: boolean;
  /** See `HoldFacts.lasting`. */
  readonly lasting: readonly string[];
  /** Absent: there are no packages whose content is approved. */
  readonly packages?: PackageHolds;
}

export interface ApprovalsParts {
  readonly check: () => Promise<unknown>;
  /** When absent, held changes are forgotten when the process ends. */
  readonly kept: KeptApprovals | undefined;
  readonly isProjectTrusted: () => boolean;
  readonly untrusted: UntrustedHooksParts;
  /** See `HookRuntimeSettings.approveChanges`. */
  readonly approveChanges: () => 'agent' | 'all' | undefined;
  readonly log: Log;
}

/** What a load that begins has to know of what was before it. */
export interface LoadHistory {
  /** What the earlier version of a hook imported; by path of the hook. */
  readonly earlierOf: (path: string) => readonly HookImport[];
  /** Whether the agent may have changed a file since this load began; asked while the code runs. */
  readonly mayBeAgents: (path: string) => boolean;
}

type LoadedDiscovery = Pick<Discovery, 'problems' | 'leftOut'>;

type Found = Discovery & { readonly heldBack?: readonly HookFile[] };

/** Compares hooks with their approved versions at each load, and stores approved versions and held changes on disk. */
export class HookApprovals implements Disposable {
  readonly calls: AgentChanges;
  private readonly untrusted: UntrustedHooks;
  private readonly checkedPlaces = new Set<PlaceName>();
  private found: readonly HookDifference[] = [];
  private known: Known | undefined;
  /** What {@link loaded} stored last. */
  private stored:
    { readonly slots: readonly Slot[]; readonly discovery: LoadedDiscovery; readonly size: number } | undefined;

  constructor(private readonly parts: ApprovalsParts) {
    const { check, kept, log } = parts;
    const store = kept?.writes === true ? kept.store : undefined;
    const files = store && kept?.files;
    this.untrusted = new UntrustedHooks(parts.untrusted);
    this.calls = new AgentChanges({ check, store, files, beforeCall: () => this.beforeCall(), log });
  }

  /** The hooks that changed, not by the agent, and whose current version counts; see {@link HookDifference}. */
  get differences(): readonly HookDifference[] {
    return this.found;
  }

  /** Decides what is held. Call this after hook files were found and before they are loaded, with the same `reads`. */
  async look<D extends Found>(found: D, reads: SourceReads): Promise<HoldResult<D>> {
    const { kept, approveChanges, isProjectTrusted } = this.parts;
    this.calls.forgetOldSaves(reads);
    this.known = kept && knownNow(kept);
    const holdsAll = (approveChanges() ?? this.known?.approveChanges) === 'all';
    if (this.calls.isGuarding && !isProjectTrusted()) await this.untrusted.check(reads);
    const looked = await holdChanges(found, this.slots, {
      approval: this.calls,
      known: this.known,
      store: kept?.store,
      holdsAll,
      seen: this.seen,
      checkedPlaces: this.checkedPlaces,
      lasting: kept?.lasting ?? [],
      packages: kept?.packages,
      untrusted: this.untrusted,
      reads,
    });
    const there = new Set(looked.found.files.map(({ path }) => path));
    const before = this.found.filter(({ path, wasGate }) => wasGate !== true || !there.has(path));
    this.found = [...before, ...looked.differences];
    return looked;
  }

  /** For a load that begins now. */
  aboutLoad(): LoadHistory {
    const current = this.slots;
    const loadedAt = Date.now();
    return {
      earlierOf: path => {
        const running = current.find(({ file }) => file.path === path)?.live?.module;
        const { user, folder } = this.known ?? {};
        return (running ?? user?.approved.get(path) ?? folder?.approved.get(path))?.imports ?? [];
      },
      mayBeAgents: path => this.calls.mayHaveChanged(path, loadedAt),
    };
  }

  /** Stores the result of a load. Errors of writing are logged. */
  loaded(slots: readonly Slot[], discovery: LoadedDiscovery): void {
    const { kept, approveChanges, log } = this.parts;
    const { seen } = this;
    const { problems, leftOut = [] } = discovery;
    this.stored = { slots, discovery, size: sizeOf(slots) };
    if (kept !== undefined && kept.writes) {
      const named = new Set(problems.flatMap(problem => problem.file ?? []));
      const about = { lists: kept.lists(), seen, lasting: kept.lasting, named, leftOut: new Set(leftOut) };
      const state: LoadedState = { slots, changedByTools: this.untrusted.changedByTools, ...about };
      try {
        const mode = approveChanges();
        if (mode !== undefined && mode !== this.known?.approveChanges) kept.store.setApproveChanges(mode);
        for (const name of PLACES) this.remember(kept.store, name, state);
        for (const name of seen) kept.store.noteUse(name);
      } catch (error) {
        log.error(`The record of approved hooks could not be saved: ${messageOf(error)}`, error);
      }
    }
    for (const name of seen) this.checkedPlaces.add(name);
    // Before the folder's own settings and hooks were read, a check would not find all hooks.
    if (seen.has('folder') && kept?.writes === true) this.calls.takeOver(this.known?.cutOff ?? []);
  }

  /**
   * The user approves hooks with these paths as their files are now; what belongs to a package counts only if its content
   * is approved as that of the package.
   */
  async approve(paths: readonly string[]): Promise<void> {
    const ofPackages = paths.filter(path => this.waitingPackage(path) !== undefined);
    // At once: the text on disk now is approved, not what follows it.
    for (const path of paths) if (!ofPackages.includes(path)) this.approveNow(path);
    for (const path of ofPackages) if (await this.isPackageApproved(path)) this.approveNow(path);
  }

  /** {@link approve} for one hook, without a look at its package. */
  approveNow(path: string): void {
    const slot = this.slots.find(({ file }) => file.path === path);
    const files = slot?.live === undefined ? [] : contentOf(slot.live.module).map(source => source.path);
    const held = slot?.waiting === undefined ? [] : heldSourcesOf(slot).map(source => source.path);
    this.calls.approve(path, [...files, ...held]);
  }

  /** Restores the approved files of a hook that waits, and the approved lists. Rejects with an error that names what it cannot. */
  async restore(slot: Slot): Promise<void> {
    const { packaged } = slot.file;
    if (packaged?.content === undefined) await restoreHook(slot);
    if (packaged !== undefined) await this.parts.kept?.packages?.putBack(packaged);
    await this.restoreLists();
  }

  private async isPackageApproved(path: string): Promise<boolean> {
    const packaged = this.waitingPackage(path);
    return packaged === undefined || ((await this.parts.kept?.packages?.approve(packaged)) ?? true);
  }

  private waitingPackage(path: string): FileOfPackage | undefined {
    const slot = this.slots.find(({ file, waiting }) => file.path === path && waiting !== undefined);
    return slot?.file.packaged;
  }

  /** Restores the approved lists of hooks in settings files. Rejects when a file cannot be written. */
  private async restoreLists(): Promise<void> {
    const { kept } = this.parts;
    if (kept === undefined || this.known?.folder.memory !== 'kept') return;
    const now = kept.lists();
    const isSame = (one: HookList, other: HookList): boolean => one.file === other.file && one.key === other.key;
    const { lists } = this.known.folder;
    for (const list of lists) {
      const there = now.find(other => isSame(list, other));
      if (!isDeepStrictEqual(there?.entries, list.entries)) await writeSetting(list.file, keyOf(list), list.entries);
    }
    for (const list of now) {
      if (!lists.some(other => isSame(list, other))) await writeSetting(list.file, keyOf(list), undefined);
    }
  }

  private beforeCall(): Promise<void> | undefined {
    this.storeImports();
    return this.calls.isGuarding || this.parts.isProjectTrusted() ? undefined : this.untrusted.note();
  }

  /** Hooks may import more while they run: what they imported before a call is stored before it can be changed. */
  private storeImports(): void {
    const { stored } = this;
    if (stored !== undefined && sizeOf(stored.slots) !== stored.size) this.loaded(stored.slots, stored.discovery);
  }

  dispose(): void {
    this.calls.dispose();
  }

  /** The slots of the last load. */
  private get slots(): readonly Slot[] {
    return this.stored?.slots ?? [];
  }

  private remember(store: ApprovalStore, name: PlaceName, state: LoadedState): void {
    const isSeen = state.seen.has(name);
    // An untrusted folder, or a start without hooks, must not create a record, since then nothing would look lost.
    if (!isSeen && this.known?.[name].memory === 'lost') return;
    store.remember(name, textsOf(name, state), before => rememberedAfter(name, state, before));
    const over = (this.known?.cutOff ?? []).filter(run => this.calls.isOver(run));
    if (isSeen && over.length > 0) store.removeFinishedRuns(name, over);
  }

  private get seen(): ReadonlySet<PlaceName> {
    const { kept, isProjectTrusted } = this.parts;
    if (kept?.search === false) return new Set();
    return new Set(isProjectTrusted() ? PLACES : (['user'] as const));
  }
}

/** What is known now. A call of this process is open also when it removed what was stored about it. */
function knownNow({ store, files }: KeptApprovals): Known {
  const known = store.read();
  const place = (name: PlaceName): KnownPlace => {
    return { ...known[name], isAtCall: known[name].isAtCall || files?.isCallOpen(name) === true };
  };
  return { ...known, user: place('user'), folder: place('folder') };
}

/** How many files the hooks consist of, and where their imports lead: these only become more while they run. */
function sizeOf(slots: readonly Slot[]): number {
  const modules = slots.flatMap(({ live }) => live?.module ?? []);
  return modules.reduce(
    (sum, { sources, packageFiles, imports }) => sum + sources.length + packageFiles.length + imports.length,
    0,
  );
}

function keyOf({ key }: HookList): 'hooks' | 'extensions' {
  return key === 'hooks' ? 'hooks' : 'extensions';
}
