/** Looks at a body while the client reads it. */
export interface BodyWatch {
  seen(chunk: Uint8Array): void;
  /** The body came to its end. */
  ended(): void;
}

/**
 * The same bytes, taken when the client asks for them, as a `TransformStream` or another stream would do at twice the
 * cost. Fails as Node's own `fetch` does when none comes for `idleMs` although they are waited for; 0: never.
 */
export function readThrough(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
  watch: BodyWatch | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let giveUp = (): void => undefined; // Does something while bytes are waited for.
  // One timer for all waits: thousands of pieces arrive per second. The connection itself keeps the process alive.
  const timer = idleMs === 0 ? undefined : setTimeout(() => giveUp(), idleMs).unref();
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const wait = { isLate: false };
        giveUp = () => {
          wait.isLate = true;
          const cause = new Error(`The server said nothing for ${idleMs} ms in the middle of its answer`);
          controller.error(new TypeError('terminated', { cause }));
          // The rest is not needed any more.
          reader.cancel(cause).catch(() => undefined);
        };
        timer?.refresh();
        try {
          const { done, value } = await reader.read();
          if (wait.isLate) return;
          if (done) {
            clearTimeout(timer);
            watch?.ended();
            controller.close();
            return;
          }
          watch?.seen(value);
          controller.enqueue(value);
        } catch (error) {
          clearTimeout(timer);
          if (!wait.isLate) throw error;
        } finally {
          giveUp = () => undefined;
        }
      },
      cancel: reason => {
        clearTimeout(timer);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
