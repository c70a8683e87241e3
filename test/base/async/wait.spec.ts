import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { anySignal, deferred, sleep, unlessAborted, withTimeout } from '../../../src/base/async/wait';

const notExpected = (): never => {
  throw new Error('not expected');
};
const never = new Promise<never>(() => undefined);

/** Lets everything happen that waits for nothing but promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

describe('waiting', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  /** What a promise came to so far. */
  function watch<T>(promise: Promise<T>): { readonly seen: unknown[] } {
    const seen: unknown[] = [];
    promise.then(
      value => seen.push(value),
      (error: unknown) => seen.push(String(error)),
    );
    return { seen };
  }

  describe('with a timeout', () => {
    it('gives the outcome of work that ends in time', async () => {
      assert.equal(await withTimeout(Promise.resolve('done'), 10, notExpected), 'done');
      assert.equal(await withTimeout('at once', 10, notExpected), 'at once');
      await assert.rejects(withTimeout(Promise.reject(new Error('oh')), 10, notExpected), /^Error: oh$/);
    });

    it('gives the outcome of `late` when the time is over, and not before', async () => {
      const { seen } = watch(withTimeout(never, 10, () => 'late'));
      mock.timers.tick(9);
      await settle();
      assert.deepEqual(seen, []);
      mock.timers.tick(1);
      await settle();
      assert.deepEqual(seen, ['late']);
    });

    it('passes on what `late` throws, and ignores what the work does afterwards', async () => {
      let reject = (_error: Error): void => undefined;
      const work = new Promise<void>((_resolve, fail) => (reject = fail));
      const waited = withTimeout(work, 10, () => {
        throw new Error('too late');
      });
      const { seen } = watch(waited);
      mock.timers.tick(10);
      await settle();
      reject(new Error('nobody listens'));
      await settle();
      assert.deepEqual(seen, ['Error: too late']);
    });

    it('does not call `late` for work that ended', async () => {
      const work = deferred();
      let calls = 0;
      const waited = withTimeout(work.promise, 10, () => (calls += 1));
      work.resolve();
      await waited;
      mock.timers.tick(100);
      await settle();
      assert.equal(calls, 0);
    });

    it('does not count time in which it is paused', async () => {
      let isPaused = true;
      const { seen } = watch(
        withTimeout(
          never,
          200,
          () => 'late',
          () => isPaused,
        ),
      );
      mock.timers.tick(5_000);
      isPaused = false;
      mock.timers.tick(100);
      await settle();
      assert.deepEqual(seen, []);
      mock.timers.tick(100);
      await settle();
      assert.deepEqual(seen, ['late']);
    });
  });

  describe('unless aborted', () => {
    it('gives the outcome of the work while nothing is aborted', async () => {
      assert.equal(await unlessAborted(Promise.resolve(1), undefined, notExpected), 1);
      assert.equal(await unlessAborted(Promise.resolve(1), new AbortController().signal, notExpected), 1);
    });

    it('gives the outcome of `aborted` as soon as the signal fires, also when it had fired before', async () => {
      const abort = new AbortController();
      const { seen } = watch(unlessAborted(never, abort.signal, () => 'aborted'));
      await settle();
      assert.deepEqual(seen, []);
      abort.abort();
      await settle();
      assert.deepEqual(seen, ['aborted']);
      assert.equal(await unlessAborted(never, abort.signal, () => 'before'), 'before');
    });

    it('leaves the work some time to end by itself', async () => {
      const work = deferred<string>();
      const abort = new AbortController();
      const { seen } = watch(unlessAborted(work.promise, abort.signal, () => 'left alone', 10));
      const impatient = watch(unlessAborted(never, abort.signal, () => 'left alone', 10));
      abort.abort();
      mock.timers.tick(9);
      work.resolve('ended by itself');
      await settle();
      mock.timers.tick(1);
      await settle();
      assert.deepEqual([seen, impatient.seen], [['ended by itself'], ['left alone']]);
    });

    it('leaves no listener behind', async () => {
      const { signal } = new AbortController();
      let listeners = 0;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...given: Parameters<typeof add>) => {
        listeners += 1;
        add(...given);
      };
      signal.removeEventListener = (...given: Parameters<typeof remove>) => {
        listeners -= 1;
        remove(...given);
      };
      await unlessAborted(Promise.resolve(), signal, notExpected);
      assert.equal(listeners, 0);
    });
  });

  it('sleeps until the time is over or the signal fires', async () => {
    const abort = new AbortController();
    const slept = watch(sleep(10, new AbortController().signal));
    const woken = watch(sleep(10, abort.signal));
    abort.abort();
    await settle();
    assert.deepEqual([slept.seen, woken.seen], [[], [false]]);
    mock.timers.tick(10);
    await settle();
    assert.deepEqual([slept.seen, woken.seen], [[true], [false]]);
  });

  it('joins the signals that there are', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    assert.equal(anySignal(undefined, undefined), undefined);
    assert.equal(anySignal(one.signal, undefined), one.signal);
    const both = anySignal(one.signal, other.signal);
    assert.equal(both.aborted, false);
    other.abort('why');
    assert.deepEqual([both.aborted, both.reason], [true, 'why']);
  });
});
