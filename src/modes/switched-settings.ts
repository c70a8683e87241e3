import type { PiSettings } from '../agent/settings';
import type { Event } from '../base/event';
import type { Problem } from '../base/result';
import type { SettingsSource } from '../startup/live-settings';

/** Switches that a program may set for as long as the process lives; settings files stay as they are. */
export interface Switches {
  readonly steeringMode?: PiSettings['steeringMode'];
  readonly followUpMode?: PiSettings['followUpMode'];
  readonly autoCompaction?: boolean;
  readonly autoRetry?: boolean;
}

/** Settings with switches above them. */
export class SwitchedSettings implements SettingsSource {
  private switches: Switches = {};

  constructor(private readonly below: SettingsSource) {}

  get current(): PiSettings {
    const { steeringMode, followUpMode, autoCompaction, autoRetry } = this.switches;
    const { current } = this.below;
    return {
      ...current,
      ...(steeringMode === undefined ? {} : { steeringMode }),
      ...(followUpMode === undefined ? {} : { followUpMode }),
      ...(autoCompaction === undefined ? {} : { compaction: { ...current.compaction, enabled: autoCompaction } }),
      ...(autoRetry === undefined ? {} : { retry: { ...current.retry, enabled: autoRetry } }),
    };
  }

  get problems(): readonly Problem[] {
    return this.below.problems;
  }

  get onDidChange(): Event<void> {
    return this.below.onDidChange;
  }

  set(switches: Switches): void {
    this.switches = { ...this.switches, ...switches };
  }
}
