import { performance } from 'node:perf_hooks';

/** Time that a handler may take; what it waits for the user, or stands in a debugger, does not count (C19). */
export interface Deadline {
  /** The user is being asked from now on; calls nest. */
  pause(): void;
  resume(): void;
  /** Ends the watch; nothing expires afterwards. */
  end(): void;
}

interface Watched {
  /** On the clock of `performance.now()`. */
  expiresAt: number;
  pausedAt: number | undefined;
  pauses: number;
  readonly expire: () => void;
}

/** A tick that comes this much later than asked for means that the process stood still: a debugger, a long pause. */
const STANDSTILL_MS = 400;
const COARSEST_TICK_MS = 250;

/**
 * Watches the deadlines of all handlers with one coarse timer, which runs only while some handler is being waited for:
 * a dispatch costs a set insertion, not a timer. A late tick moves every deadline by the gap.
 */
export class HandlerClock {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;
  private lastTick = 0;
  private tickMs = COARSEST_TICK_MS;

  /** Calls `expire` once, up to one tick after `ms` have passed. */
  watch(ms: number, expire: () => void): Deadline {
    const entry: Watched = { expiresAt: performance.now() + ms, pausedAt: undefined, pauses: 0, expire };
    this.watched.add(entry);
    this.tickAtLeastEvery(Math.min(COARSEST_TICK_MS, Math.max(5, ms / 8)));
    return {
      pause: () => {
        if (entry.pauses++ === 0) entry.pausedAt = performance.now();
      },
      resume: () => {
        if (--entry.pauses > 0 || entry.pausedAt === undefined) return;
        entry.expiresAt += performance.now() - entry.pausedAt;
        entry.pausedAt = undefined;
      },
      end: () => this.watched.delete(entry),
    };
  }

  dispose(): void {
    this.watched.clear();
    this.stop();
  }

  private tickAtLeastEvery(ms: number): void {
    if (this.timer !== undefined && this.tickMs <= ms) return;
    this.stop();
    this.tickMs = ms;
    this.lastTick = performance.now();
    this.timer = setInterval(() => {
      this.tick();
    }, ms);
    this.timer.unref();
  }

  private tick(): void {
    const now = performance.now();
    const gap = now - this.lastTick - this.tickMs;
    this.lastTick = now;
    if (this.watched.size === 0) {
      this.stop();
      return;
    }
    for (const entry of [...this.watched]) {
      if (gap > STANDSTILL_MS) entry.expiresAt += gap;
      if (entry.pausedAt !== undefined || entry.expiresAt > now) continue;
      this.watched.delete(entry);
      entry.expire();
    }
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
