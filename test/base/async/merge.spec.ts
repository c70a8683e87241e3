import assert from 'node:assert/strict';
import { merged } from '../../../src/base/async/merge';
import { deferred } from '../../../src/base/async/wait';

async function collected<T>(sources: readonly AsyncGenerator<T, void>[]): Promise<T[]> {
  const values: T[] = [];
  for await (const value of merged(sources)) values.push(value);
  return values;
}

describe('merged', function () {
  this.timeout(30_000);

  it('yields values in the order in which they come, and continues a source when its value was taken', async () => {
    const [first, second] = [deferred(), deferred()];
    const slow = async function* (): AsyncGenerator<string, void> {
      await first.promise;
      yield 'slow 1';
      second.resolve();
      yield 'slow 2';
    };
    const quick = async function* (): AsyncGenerator<string, void> {
      yield await Promise.resolve('quick 1');
      first.resolve();
      await second.promise;
      yield 'quick 2';
    };
    assert.deepEqual(await collected([slow(), quick()]), ['quick 1', 'slow 1', 'slow 2', 'quick 2']);
    assert.deepEqual(await collected([]), []);
  });

  it('ends with the first error', async () => {
    const failing = async function* (): AsyncGenerator<string, void> {
      yield await Promise.resolve('before');
      throw new Error('broken');
    };
    const waiting = async function* (): AsyncGenerator<string, void> {
      await new Promise<never>(() => undefined);
      yield 'never';
    };
    const values: string[] = [];
    await assert.rejects(
      async () => {
        for await (const value of merged([waiting(), failing()])) values.push(value);
      },
      { message: 'broken' },
    );
    assert.deepEqual(values, ['before']);
  });

  it('does not compare all sources for each value: 20,000 come to an end', async () => {
    const one = async function* (at: number): AsyncGenerator<number, void> {
      await Promise.resolve();
      yield at;
    };
    const sources = Array.from({ length: 20_000 }, (_, at) => one(at));
    assert.equal(new Set(await collected(sources)).size, 20_000);
  });
});
