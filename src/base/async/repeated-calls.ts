import type { Disposable } from '../disposable';

/** Runs one piece of work at a time; calls made while it runs share a single further run. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = (): Promise<void> => {
    if (running === undefined) {
      running = work().finally(() => (running = undefined));
      return running;
    }
    const again = (): Promise<void> => {
      next = undefined;
      return run();
    };
    next ??= running.then(again, again);
    return next;
  };
  return run;
}

/** One call for many requests: some time after the first of them, or after the last. */
export class DelayedCall implements Disposable {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly call: () => void) {}

  get isScheduled(): boolean {
    return this.timer !== undefined;
  }

  /** Calls in `ms`; does nothing when a call is scheduled already. */
  schedule(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.call();
    }, ms);
  }

  /** Calls in `ms`, and not when it was to happen before. */
  reschedule(ms: number): void {
    this.cancel();
    this.schedule(ms);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  dispose(): void {
    this.cancel();
  }
}
