/**
 * What several generators yield, as it comes; all are begun at once, and none goes on before what it yielded was taken.
 * Ends when all have ended; the first that throws ends it with its error.
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
