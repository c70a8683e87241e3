import { toDisposable, type Disposable } from '../../src/base/disposable';
import type { Clock } from '../../src/vscode/quiet';

/** A clock that stands still until the test moves it on. */
export class FakeClock implements Clock {
  private time = 1_000;
  private readonly timers = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): Disposable {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return toDisposable(() => this.timers.delete(timer));
  }

  /** Number of timers that wait. */
  get waiting(): number {
    return this.timers.size;
  }

  /** Lets `ms` pass in which nothing can run; then timers that are due run. */
  holdUp(ms: number): void {
    this.time += ms;
    this.pass(0);
  }

  /** Lets `ms` pass: timers that are due run in order, each at its time. */
  pass(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const [next] = [...this.timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
    }
    this.time = end;
  }
}
