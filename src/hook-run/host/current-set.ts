import type { Problem } from '../../base/result';
import type { HookApprovals } from '../../gate/held-changes/hook-approvals';
import type { HookScope, LoadedHook } from '../../hook-contract/loaded-hook';
import { isUnchanged, type Live, type Slot } from '../../hook-load/files/hook-slot';
import { keepUnreadable } from '../../hook-load/files/keep-unreadable';
import { SourceReads } from '../../hook-load/graph/source-reads';
import type { HookRunner } from '../dispatch/runner';
import type { DeletedGlobals } from './deleted-globals';
import { buildNextSet, type SetBuilder } from './hook-set';
import type { HookHostOptions } from './host-options';
import { missingGateFor, type MissingGates } from './missing-gate';
import type { ForcedReload } from './reload-queue';

/** What the set is loaded with. */
export interface CurrentSetParts<S extends HookScope> extends SetBuilder<S> {
  readonly options: Pick<HookHostOptions<S>, 'discover' | keyof SetBuilder<S>['options']>;
  readonly runner: HookRunner;
  readonly approvals: HookApprovals;
  readonly deletedGlobals: DeletedGlobals;
  readonly missingGates: () => MissingGates;
}

/** The hooks of a host: a slot for each file that was found, and the instances that run. */
export class CurrentSet<S extends HookScope> {
  private current: readonly Slot[] = [];
  private found: readonly Problem[] = [];

  constructor(private readonly parts: CurrentSetParts<S>) {}

  get slots(): readonly Slot[] {
    return this.current;
  }

  /** Problems besides those of the files, such as paths that do not exist. */
  get problems(): readonly Problem[] {
    return this.found;
  }

  slotOf(path: string): Slot | undefined {
    return this.current.find(({ file }) => file.path === path);
  }

  /** The slot of a file whose change waits for approval. */
  waitingSlotOf(path: string): Slot | undefined {
    const slot = this.slotOf(path);
    return slot?.waiting === undefined ? undefined : slot;
  }

  /** Puts the next set in place of this one. Resolves with the instances that were started; rejects only when discovery does. */
  async swap(fresh: ForcedReload): Promise<readonly Live[]> {
    const { options, runner, approvals, deletedGlobals, missingGates } = this.parts;
    const packages = fresh.packages || (await this.loadsPackages());
    const seen = keepUnreadable(await options.discover({ packages }), this.current);
    const reads = new SourceReads();
    const { found: discovery, plans } = await approvals.look(seen, reads);
    if (discovery.files.length > 0) deletedGlobals.remember();
    try {
      const facts = { fresh, plans, reads, ...approvals.aboutLoad() };
      const { slots, started } = await buildNextSet(this.parts, discovery, this.current, facts);
      this.current = slots;
      this.found = discovery.problems;
      approvals.loaded(slots, discovery);
      runner.setHooks(hooksOf(slots));
      runner.missingGate = missingGateFor(missingGates);
      return started;
    } finally {
      runner.endSwap();
    }
  }

  /** Closes what all hooks hold open; none of them runs any more. */
  async release(): Promise<void> {
    const hooks = hooksOf(this.current);
    this.current = [];
    this.parts.runner.setHooks([]);
    await Promise.all(hooks.map(hook => hook.identity.scope.release()));
  }

  /** Whether code of packages would be loaded that may not be approved. */
  private async loadsPackages(): Promise<boolean> {
    for (const { file, live } of this.current) {
      if (file.package === undefined) continue;
      if (live === undefined || !(await isUnchanged(live.module))) return true;
    }
    return false;
  }
}

function hooksOf(slots: readonly Slot[]): readonly LoadedHook[] {
  return slots.flatMap(({ live }) => (live === undefined ? [] : [live.hook]));
}
