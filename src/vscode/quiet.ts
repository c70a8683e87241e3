import { performance } from 'node:perf_hooks';
import { toDisposable, type Disposable } from '../base/disposable';

/** After this time without a key, nobody types blindly any more, in ms. */
export const QUIET_MS = 2_000;

/** A timer that is later than this was held up: keys that came meanwhile are not reported yet, in ms. */
const HELD_UP_MS = 200;

/** The time, for tests to replace. */
export interface Clock {
  /** In ms, on the clock of `performance.now()`. */
  now(): number;
  /** Calls `run` once after `ms`, unless the result is disposed before. */
  after(ms: number, run: () => void): Disposable;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};

/** Knows when the user last pressed a key, edited or moved a cursor, as far as VS Code shows it to extensions. */
export class Quiet {
  private last = -Infinity;

  constructor(readonly clock: Clock = SYSTEM_CLOCK) {}

  /** The time of the last activity; -Infinity before the first one. */
  get lastActivity(): number {
    return this.last;
  }

  /** The user has just pressed a key, edited or moved a cursor. */
  note(): void {
    this.last = this.clock.now();
  }

  /** Calls `run` once, when nothing was noted for {@link QUIET_MS}; at once if that is so already. */
  whenQuiet(run: () => void): Disposable {
    let timer: Disposable | undefined;
    const look = (due: number): void => {
      const now = this.clock.now();
      if (now - due > HELD_UP_MS) this.note();
      const left = this.last + QUIET_MS - now;
      if (left > 0) timer = this.clock.after(left, () => look(now + left));
      else run();
    };
    look(this.clock.now());
    return toDisposable(() => timer?.dispose());
  }
}
