import { url as inspectorUrl } from 'node:inspector';
import { basename } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import type { ModuleGuard } from '../compile/loop-guards';

/** Thrown in hook code that blocked the process for too long, and from then on by every guard of that load. */
export class LoopStopped extends Error {
  override readonly name = 'LoopStopped';

  constructor(
    /** Absolute path of the source, and 1-based line where the loop or function begins. */
    readonly file: string,
    readonly line: number,
    limitMs: number,
  ) {
    super(`Stopped: endless loop at ${basename(file)}:${line}. Nothing else could run for ${limitMs / 1_000} s.`);
  }
}

/** How long hook code may block the process if no setting says otherwise, in ms. */
export const LOOP_LIMIT_MS = 10_000;

/** At most this many guards run between two checks of the clock; fewer if the code between them is slow. */
const MOST_ROUNDS = 1_024;
const SLOW_LOOK_MS = 4;
const FAST_LOOK_MS = 0.25;

/** The most time that counts between two checks, in ms: the machine may sleep, or other code may run. */
const LONGEST_STEP_MS = 1_000;
/** The same while a debugger may pause the process at any step. */
const LONGEST_STEP_DEBUGGED_MS = 20;

/**
 * The guards of one load of a hook. Time is measured from the first guard that runs in a turn of the event loop until
 * that turn ends, so code that waits for a timer, a file or the user is never stopped. It costs nothing while no guard
 * runs.
 */
export class LoopLimit {
  private stop: LoopStopped | undefined;
  private readonly guards: ModuleGuard[] = [];
  private isInTurn = false;
  private spentMs = 0;
  private lookedAt = 0;
  private rounds = 1;

  /** `onStop` is called once, after the turn of the event loop in which the code was stopped. `limitMs` is in ms. */
  constructor(
    private readonly limitMs: number,
    private readonly onStop: (stopped: LoopStopped) => void,
  ) {}

  /** The error, once code of this load was stopped. */
  get stopped(): LoopStopped | undefined {
    return this.stop;
  }

  /** Makes the guard for the compiled code of one file. */
  guardFor(file: string): ModuleGuard {
    const guard: ModuleGuard = {
      n: 0,
      c: line => {
        guard.n = this.look(file, line);
      },
    };
    this.guards.push(guard);
    return guard;
  }

  /** Checks the clock, and returns how many guards may run until the next check. Throws when the limit is exceeded. */
  private look(file: string, line: number): number {
    if (this.stop !== undefined) throw this.stop;
    const now = performance.now();
    if (!this.isInTurn) {
      this.beginTurn(now);
      return 1;
    }
    const step = now - this.lookedAt;
    this.lookedAt = now;
    this.spentMs += Math.min(step, turn.longestStepMs);
    if (step > SLOW_LOOK_MS) this.rounds = Math.max(1, this.rounds >> 3);
    else if (step < FAST_LOOK_MS) this.rounds = Math.min(MOST_ROUNDS, this.rounds << 1);
    if (this.spentMs <= this.limitMs) return this.rounds;
    const stopped = new LoopStopped(file, line, this.limitMs);
    this.stop = stopped;
    for (const guard of this.guards) guard.n = 0;
    setImmediate(() => this.onStop(stopped));
    throw stopped;
  }

  private beginTurn(now: number): void {
    this.isInTurn = true;
    this.spentMs = 0;
    this.lookedAt = now;
    this.rounds = 1;
    turn.add(this);
  }

  /** The turn of the event loop is over. */
  endTurn(): void {
    this.isInTurn = false;
    for (const guard of this.guards) guard.n = 0;
  }
}

/** The current turn of the event loop, and whose guards ran in it. */
class Turn {
  private limits: LoopLimit[] = [];
  longestStepMs = LONGEST_STEP_MS;

  add(limit: LoopLimit): void {
    if (this.limits.push(limit) > 1) return;
    this.longestStepMs = inspectorUrl() === undefined ? LONGEST_STEP_MS : LONGEST_STEP_DEBUGGED_MS;
    setImmediate(this.end);
  }

  private readonly end = (): void => {
    const { limits } = this;
    this.limits = [];
    for (const limit of limits) limit.endTurn();
  };
}

const turn = new Turn();
