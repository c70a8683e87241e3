import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter, type Event } from '../../base/event';
import type { Log } from '../../base/log';
import { DelayedCall, oneAtATime } from '../../base/async/repeated-calls';
import { filesOfGuard } from '../../guard/config/agent-files';
import { codexConfigFile } from '../../guard/config/codex/codex-files';
import { readGuarded, type GuardedAgents } from '../../guard/config/guarded-agents';
import { machineOf, type Machine } from '../../guard/config/this-machine';
import { AGENT_IDS } from '../../guard/protocol/agent-call';
import type { NoEffect } from '../../hook-contract/record';
import { guardPlace, type GuardPlace } from '../../guard/protocol/place';
import type { AgentRow } from '../hooks-view/agent-nodes';
import type { GateOff, HookDiagnostics } from '../hooks-view/hook-diagnostics';
import { hookName } from '../hooks-view/hook-words';
import { Lazy } from '../lazy';
import { FileWatcher } from '../watch/file-watcher';
import { GatesOff } from './gates-off';
import type { TrustOfCodex } from './trust-of-codex';

/** How long changes are collected before the agents are looked at again, ms. */
const GATHER_MS = 300;

export interface AgentOverviewParts {
  /** Absolute. */
  readonly stateDir: string;
  /** Absolute; undefined when no folder is open. */
  readonly folder: string | undefined;
  readonly diagnostics: HookDiagnostics;
  readonly onNoEffect: Event<NoEffect>;
  readonly log: Log;
}

/**
 * The other agents on this machine, for the Hooks view and the Problems panel, kept up to date with the files that say how they
 * are guarded. Their programs are looked for when their rows are first wanted.
 */
export class AgentOverview implements Disposable {
  readonly place: GuardPlace;
  readonly machine: Machine = machineOf(process);
  /** Loaded with the first row or dialog that needs it. */
  readonly codex: Lazy<TrustOfCodex>;
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  /** Fires when the rows, or who is guarded, may have changed. */
  readonly onDidChange: Event<void> = this.changeEmitter.event;
  private readonly gatesOff = this.store.add(new GatesOff());
  private guardedNow: GuardedAgents = {};
  private found: readonly AgentRow[] | undefined;
  private isWanted = false;
  /** Name of an agent -> what hooks did that can have no effect there, in words. */
  private readonly withoutEffect = new Map<string, Set<string>>();
  private readonly later = this.store.add(new DelayedCall(() => void this.look()));
  private readonly look = oneAtATime(async () => {
    try {
      this.guardedNow = await readGuarded(this.place);
      this.showGatesOff();
      if (this.isWanted) this.found = await this.findRows();
    } catch (error) {
      this.parts.log.error(`It is not known how other agents are guarded: ${messageOf(error)}`, error);
      if (this.isWanted) this.found ??= [];
    }
    this.changeEmitter.fire();
  });

  constructor(private readonly parts: AgentOverviewParts) {
    const { stateDir, folder, log } = parts;
    const { machine } = this;
    this.place = guardPlace(stateDir);
    this.codex = new Lazy(async () => {
      const { TrustOfCodex } = await import('./trust-of-codex');
      return new TrustOfCodex({ place: this.place, machine, cwd: folder ?? machine.home, log });
    });
    this.store.add(this.gatesOff.onDidChange(() => this.changed()));
    const watcher = this.store.add(new FileWatcher(undefined));
    const configurations = [
      ...AGENT_IDS.flatMap(id => filesOfGuard(id, 'user', machine).map(({ file }) => file)),
      // Its trust is in there.
      codexConfigFile(machine),
    ];
    watcher.setTargets({ folders: [], files: [this.place.guarded, this.place.log, ...configurations] });
    this.store.add(watcher.onDidChange(() => this.changed()));
    this.store.add(parts.onNoEffect(noEffect => this.noteNoEffect(noEffect)));
    void this.look();
  }

  /** Undefined until the agents were looked for. */
  get rows(): readonly AgentRow[] | undefined {
    if (!this.isWanted) {
      this.isWanted = true;
      void this.look();
    }
    return this.found;
  }

  /** Who is guarded; nobody until it was read. */
  get guarded(): GuardedAgents {
    return this.guardedNow;
  }

  /** Has all looked at again, soon. */
  changed(): void {
    this.later.schedule(GATHER_MS);
  }

  dispose(): void {
    this.store.dispose();
  }

  private async findRows(): Promise<readonly AgentRow[]> {
    const { lookAtAgents } = await import('./look-at-agents');
    const { place, machine, withoutEffect, guarded, codex } = this;
    const { folder } = this.parts;
    return lookAtAgents({ place, machine, withoutEffect, guarded, codex, folder });
  }

  private noteNoEffect({ agent, hookPath, member }: NoEffect): void {
    const text = `${member} (${hookName(hookPath)})`;
    const noted = this.withoutEffect.get(agent) ?? new Set<string>();
    if (noted.has(text)) return;
    this.withoutEffect.set(agent, noted.add(text));
    this.changed();
  }

  private showGatesOff(): void {
    this.parts.diagnostics.updateGatesOff(this.ownGatesOff);
  }

  /** What switches off the gate of an agent that nobody guards is no problem, nor where the guard is the system's own. */
  private get ownGatesOff(): readonly GateOff[] {
    return this.gatesOff.list.filter(({ agent }) => this.guardedNow[agent]?.scope === 'user');
  }
}
