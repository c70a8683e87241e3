/**
 * Yields the values of several generators in the order in which they come. All are started at once, and each continues
 * when its value was taken. Ends when all have ended; the first error ends it.
 */
export async function* merged<T>(sources: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  const next = async (source: AsyncGenerator<T, void>): Promise<readonly [typeof source, IteratorResult<T, void>]> => [
    source,
    await source.next(),
  ];
  const waiting = new Map(sources.map(source => [source, next(source)]));
  while (waiting.size > 0) {
    const [source, step] = await Promise.race(waiting.values());
    if (step.done === true) {
      waiting.delete(source);
    } else {
      yield step.value;
      waiting.set(source, next(source));
    }
  }
}
