import { deferred } from './wait';

/**
 * Yields the values of several generators in the order in which they come. All are started at once, and each continues
 * when its value was taken. Ends when all have ended; the first error ends it.
 */
export async function* merged<T>(sources: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  // A race of all generators for each value would take time with the square of their number.
  const come: (() => IteratorResult<T, void>)[] = [];
  const from: AsyncGenerator<T, void>[] = [];
  let wake = deferred();
  const ask = (source: AsyncGenerator<T, void>): void => {
    const arrive = (step: () => IteratorResult<T, void>): void => {
      come.push(step);
      from.push(source);
      wake.resolve();
    };
    source.next().then(
      step => arrive(() => step),
      (error: unknown) =>
        arrive(() => {
          throw error;
        }),
    );
  };
  for (const source of sources) ask(source);
  let running = sources.length;
  for (let taken = 0; running > 0;) {
    const [step, source] = [come[taken], from[taken]];
    if (step === undefined || source === undefined) {
      come.length = from.length = taken = 0;
      await wake.promise;
      wake = deferred();
      continue;
    }
    taken++;
    const { done, value } = step();
    if (done === true) {
      running--;
    } else {
      yield value;
      ask(source);
    }
  }
}
