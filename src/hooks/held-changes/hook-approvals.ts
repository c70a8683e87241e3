import { isDeepStrictEqual } from 'node:util';
import { writeSetting } from '../../agent/settings/write-setting';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { Discovery, HookFile } from '../host/discover';
import type { Slot } from '../host/hook-slot';
import { AgentChanges } from './agent-changes';
import type { HookList } from './approval-record';
import type { ApprovalStore, Known, PlaceName } from './approval-store';
import { holdChanges, type HookDifference, type Looked } from './hold-changes';
import { rememberedAfter, textsOf, type LoadedState } from './remembered';

/** What it takes to keep approvals over the end of a process. */
export interface KeptApprovals {
  readonly store: ApprovalStore;
  /** False: what is approved is asked for and never written, as by a process that only tries hooks. */
  readonly writes: boolean;
  /** The lists in settings files that say which hooks there are, as they are now. */
  readonly lists: () => readonly HookList[];
  /** Whether hooks are searched for; else those that are not named are not gone. */
  readonly search: boolean;
  /** See `LookFacts.lasting`. */
  readonly lasting: readonly string[];
}

export interface ApprovalsParts {
  readonly check: () => Promise<unknown>;
  /** Absent: what is held is forgotten with the process. */
  readonly kept: KeptApprovals | undefined;
  readonly isProjectTrusted: () => boolean;
  /** See `HookRuntimeSettings.approveChanges`. */
  readonly approveChanges: () => 'agent' | 'all' | undefined;
  readonly log: Log;
}

type Found = Discovery & { readonly heldBack?: readonly HookFile[] };

const PLACES = ['user', 'folder'] as const;

/** Holds what was changed of hooks against what was approved, at each load, and keeps both on disk. */
export class HookApprovals implements Disposable {
  readonly calls: AgentChanges;
  private readonly settled = new Set<PlaceName>();
  private found: readonly HookDifference[] = [];
  private known: Known | undefined;

  constructor(private readonly parts: ApprovalsParts) {
    const { check, kept, log } = parts;
    this.calls = new AgentChanges({ check, store: kept?.writes === true ? kept.store : undefined, log });
  }

  /** What was changed since the folder was last worked in, by nobody's tools, and runs as it is now. */
  get differences(): readonly HookDifference[] {
    return this.found;
  }

  /** To be asked between finding files and loading them. */
  async look<D extends Found>(found: D, current: readonly Slot[]): Promise<Looked<D>> {
    const { kept, approveChanges } = this.parts;
    this.known = kept?.store.read();
    const holdsAll = (approveChanges() ?? this.known?.approveChanges) === 'all';
    const looked = await holdChanges(found, current, {
      approval: this.calls,
      known: this.known,
      store: kept?.store,
      holdsAll,
      seen: this.seen,
      settled: this.settled,
      lasting: kept?.lasting ?? [],
    });
    this.found = [...this.found, ...looked.differences];
    return looked;
  }

  /** Writes down what a load came to. */
  loaded(slots: readonly Slot[], { problems }: Pick<Discovery, 'problems'>): void {
    const { kept, approveChanges, log } = this.parts;
    const { seen } = this;
    if (kept !== undefined && kept.writes) {
      const named = new Set(problems.flatMap(problem => problem.file ?? []));
      const state: LoadedState = { slots, lists: kept.lists(), seen, lasting: kept.lasting, named };
      try {
        const mode = approveChanges();
        if (mode !== undefined && mode !== this.known?.approveChanges) kept.store.setApproveChanges(mode);
        for (const name of PLACES) this.remember(kept.store, name, state);
      } catch (error) {
        log.error(`What is approved of hooks cannot be written down: ${messageOf(error)}`, error);
      }
    }
    for (const name of seen) this.settled.add(name);
    // Before the folder's own settings and hooks are read, a look would find less than there is.
    if (seen.has('folder') && kept?.writes === true) this.calls.takeOver(this.known?.cutOff ?? []);
  }

  /** Says in settings files again which hooks there are, as it was approved. Rejects where a file cannot be written. */
  async restoreLists(): Promise<void> {
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

  dispose(): void {
    this.calls.dispose();
  }

  private remember(store: ApprovalStore, name: PlaceName, state: LoadedState): void {
    const isSeen = state.seen.has(name);
    // A folder that nobody trusts, or a start without hooks, must not look as if nothing had been lost.
    if (!isSeen && this.known?.[name].memory === 'lost') return;
    store.remember(name, textsOf(name, state), before => rememberedAfter(name, state, before));
    const over = (this.known?.cutOff ?? []).filter(run => this.calls.isOver(run));
    if (isSeen && over.length > 0) store.settle(name, over);
  }

  private get seen(): ReadonlySet<PlaceName> {
    const { kept, isProjectTrusted } = this.parts;
    if (kept?.search === false) return new Set();
    return new Set(isProjectTrusted() ? PLACES : (['user'] as const));
  }
}

function keyOf({ key }: HookList): 'hooks' | 'extensions' {
  return key === 'hooks' ? 'hooks' : 'extensions';
}
