/**
 * A stream of states in which the newer matter more: a reader that is busy gets the last `limit` of what was added
 * meanwhile, so a fast writer can never outrun a slow reader. Ends when closed, after the last value was read. One reader
 * only.
 */
export class LatestValues<T> implements AsyncIterable<T> {
  private waiting: T[] = [];
  private closed = false;
  private wake: (() => void) | undefined;

  constructor(private readonly limit: number) {}

  add(value: T): void {
    if (this.closed) return;
    this.waiting.push(value);
    if (this.waiting.length > this.limit) this.waiting.shift();
    this.wake?.();
  }

  close(): void {
    this.closed = true;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const values = this.waiting;
      this.waiting = [];
      yield* values;
      if (this.waiting.length > 0) continue;
      if (this.closed) return;
      await new Promise<void>(resolve => (this.wake = resolve));
      this.wake = undefined;
    }
  }
}
