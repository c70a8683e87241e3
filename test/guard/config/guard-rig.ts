import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Machine } from '../../../src/guard/config/this-machine';
import { applyPlan } from '../../../src/guard/config/apply-plan';
import { planGuard, type GuardPlan, type GuardRequest } from '../../../src/guard/config/plan-guard';
import { guardPlace, type GuardPlace } from '../../../src/guard/protocol/place';

export const EVENTS = [
  { name: 'PreToolUse', gates: true },
  { name: 'Stop', gates: false },
];

/** A home and a system folder of their own, with the guard folder of a path that needs quotes. */
export class GuardRig {
  readonly machine: Machine;
  readonly place: GuardPlace;

  private constructor(readonly root: string) {
    const exists = (path: string): boolean => path === '/bin/bash';
    this.machine = { env: {}, home: root, platform: 'linux', root: join(root, 'system'), exists };
    this.place = guardPlace(join(root, "it's möglich"));
  }

  static async make(): Promise<GuardRig> {
    return new GuardRig(await mkdtemp(join(tmpdir(), 'guard-config-')));
  }

  /** The path of a file of the home, which gets this text. */
  async file(name: string, text: string): Promise<string> {
    const path = join(this.root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  plan(
    action: GuardRequest['action'],
    agent: GuardRequest['contract']['id'],
    other: Partial<GuardRequest> = {},
  ): Promise<GuardPlan> {
    const { machine, place } = this;
    return planGuard({ contract: { id: agent, events: EVENTS }, action, scope: 'user', place, machine, ...other });
  }

  /** Plans and writes; resolves with the number of changed files. */
  async change(...request: Parameters<GuardRig['plan']>): Promise<number> {
    const plan = await this.plan(...request);
    await applyPlan(plan);
    return plan.changes.length;
  }

  dispose(): Promise<void> {
    return rm(this.root, { recursive: true });
  }
}
