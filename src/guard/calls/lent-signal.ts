/** A signal that follows another one for a while. */
export class LentSignal {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  abort(): void {
    this.controller.abort();
  }

  async during<V>(followed: AbortSignal, work: () => Promise<V>): Promise<V> {
    const abort = (): void => this.controller.abort();
    if (followed.aborted) abort();
    followed.addEventListener('abort', abort);
    try {
      return await work();
    } finally {
      followed.removeEventListener('abort', abort);
    }
  }
}
