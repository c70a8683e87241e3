import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { DelayedCall, oneAtATime } from '../../../src/base/async/repeated-calls';
import { deferred, type Deferred } from '../../../src/base/async/wait';

describe('a delayed call', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  function counting(): { readonly later: DelayedCall; readonly count: () => number } {
    let calls = 0;
    return { later: new DelayedCall(() => (calls += 1)), count: () => calls };
  }

  it('happens once for all that is scheduled before it, counted from the first', () => {
    const { later, count } = counting();
    later.schedule(10);
    mock.timers.tick(9);
    later.schedule(10);
    assert.equal(later.isScheduled, true);
    mock.timers.tick(1);
    assert.deepEqual([count(), later.isScheduled], [1, false]);
    mock.timers.tick(100);
    assert.equal(count(), 1);
  });

  it('happens again when it is scheduled again, also from within the call', () => {
    let calls = 0;
    const later = new DelayedCall(() => {
      calls += 1;
      if (calls === 1) later.schedule(10);
    });
    later.schedule(10);
    mock.timers.tick(10);
    mock.timers.tick(10);
    assert.equal(calls, 2);
  });

  it('can be counted from the last', () => {
    const { later, count } = counting();
    later.reschedule(10);
    mock.timers.tick(9);
    later.reschedule(10);
    mock.timers.tick(9);
    assert.equal(count(), 0);
    mock.timers.tick(1);
    assert.equal(count(), 1);
  });

  it('does not happen after it was cancelled or disposed', () => {
    const { later, count } = counting();
    later.schedule(10);
    later.cancel();
    mock.timers.tick(10);
    later.schedule(10);
    later.dispose();
    mock.timers.tick(10);
    assert.equal(count(), 0);
  });
});

describe('work that runs one at a time', () => {
  function scripted(): { readonly runs: Deferred<void>[]; readonly run: () => Promise<void> } {
    const runs: Deferred<void>[] = [];
    const run = oneAtATime(() => {
      const next = deferred();
      runs.push(next);
      return next.promise;
    });
    return { runs, run };
  }

  it('runs once more for all that asked meanwhile', async () => {
    const { runs, run } = scripted();
    const first = run();
    const second = run();
    assert.equal(run(), second, 'who asks meanwhile shares the next run');
    assert.equal(runs.length, 1);
    runs[0]!.resolve();
    await first;
    await new Promise(setImmediate);
    assert.equal(runs.length, 2);
    runs[1]!.resolve();
    await second;
    assert.equal(runs.length, 2);
  });

  it('goes on after a run that failed, and tells whoever asked for that one', async () => {
    let calls = 0;
    const run = oneAtATime(() => (++calls === 1 ? Promise.reject(new Error('first')) : Promise.resolve()));
    const first = run();
    const second = run();
    await assert.rejects(first, /first/);
    await second;
    assert.equal(calls, 2);
  });
});
