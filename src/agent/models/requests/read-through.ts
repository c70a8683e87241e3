/** Looks at a body while the client reads it. */
export interface BodyWatch {
  seen(chunk: Uint8Array): void;
  /** The body came to its end. */
  ended(): void;
}

/**
 * The same bytes, read when the client asks for them. A `TransformStream` would cost twice as much. Fails as Node's own `fetch`
 * does if no byte comes for `idleMs` while the client waits; 0: never.
 */
export function readThrough(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
  watch: BodyWatch | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let giveUp = (): void => undefined; // Does something only while bytes are awaited.
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
