import { performance } from 'node:perf_hooks';

/** A tick that comes this much later than asked for means that the process stood still: a debugger, a long pause. */
const STANDSTILL_MS = 400;
const COARSEST_TICK_MS = 250;

/**
 * The time that a handler may take. Waiting for the user and pauses in a debugger do not count (docs/dialects.md,
 * C19).
 */
export class Deadline {
  /** Place in the clock's list; -1 once it is off it. */
  place = -1;
  private pausedAt: number | undefined;
  private pauses = 0;

  constructor(
    private readonly clock: HandlerClock,
    /** On the clock of `performance.now()`. */
    private expiresAt: number,
    private readonly expire: () => void,
  ) {}

  /** The user is being asked from now on; calls nest. */
  pause(): void {
    if (this.pauses++ === 0) this.pausedAt = performance.now();
  }

  resume(): void {
    if (--this.pauses > 0 || this.pausedAt === undefined) return;
    this.expiresAt += performance.now() - this.pausedAt;
    this.pausedAt = undefined;
  }

  /** Ends the watch; nothing expires afterwards. */
  end(): void {
    this.clock.forget(this);
  }

  /** Moves the deadline by a gap, then expires if it is due. */
  tick(now: number, gap: number): void {
    this.expiresAt += gap;
    if (this.pausedAt !== undefined || this.expiresAt > now) return;
    this.end();
    this.expire();
  }
}

/**
 * Watches the deadlines of all handlers with one coarse timer, which runs only while some handler is being waited for:
 * a dispatch costs an array slot, not a timer. A late tick moves every deadline by the gap.
 */
export class HandlerClock {
  private readonly watched: Deadline[] = [];
  private timer: NodeJS.Timeout | undefined;
  private lastTick = 0;
  private tickMs = COARSEST_TICK_MS;

  /**
   * Calls `expire` once, up to one tick after `ms` have passed. `startedAt` is now on `performance.now()`, if known.
   */
  watch(ms: number, expire: () => void, startedAt = performance.now()): Deadline {
    const deadline = new Deadline(this, startedAt + ms, expire);
    deadline.place = this.watched.push(deadline) - 1;
    const wanted = ms >= 8 * COARSEST_TICK_MS ? COARSEST_TICK_MS : Math.max(5, ms / 8);
    if (this.timer === undefined || wanted < this.tickMs) this.tickEvery(wanted);
    return deadline;
  }

  forget(deadline: Deadline): void {
    const { place } = deadline;
    if (place < 0) return;
    deadline.place = -1;
    const last = this.watched.pop();
    if (last === undefined || last === deadline) return;
    this.watched[place] = last;
    last.place = place;
  }

  dispose(): void {
    this.watched.length = 0;
    this.stop();
  }

  private tickEvery(ms: number): void {
    this.stop();
    this.tickMs = ms;
    this.lastTick = performance.now();
    this.timer = setInterval(() => this.tick(), ms);
    this.timer.unref();
  }

  private tick(): void {
    const now = performance.now();
    const late = now - this.lastTick - this.tickMs;
    this.lastTick = now;
    if (this.watched.length === 0) {
      this.stop();
      return;
    }
    const gap = late > STANDSTILL_MS ? late : 0;
    for (const deadline of [...this.watched]) deadline.tick(now, gap);
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
