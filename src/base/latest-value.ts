/**
 * A stream of states in which only the newest matters: values set while the reader is busy replace each other, so a
 * fast writer can never outrun a slow reader. Ends when closed, after the last value was read. One reader only.
 */
export class LatestValue<T> implements AsyncIterable<T> {
  private waiting: { readonly value: T } | undefined;
  private closed = false;
  private wake: (() => void) | undefined;

  set(value: T): void {
    if (this.closed) return;
    this.waiting = { value };
    this.wake?.();
  }

  close(): void {
    this.closed = true;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const next = this.waiting;
      if (next !== undefined) {
        this.waiting = undefined;
        yield next.value;
      } else if (this.closed) {
        return;
      } else {
        await new Promise<void>(resolve => (this.wake = resolve));
        this.wake = undefined;
      }
    }
  }
}
