import assert from 'node:assert/strict';
import { HandlerClock } from '../../../src/hook-run/dispatch/clock';
import { until } from '../../support/hook-host';

/** Keeps the event loop from turning, as a debugger does. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('the clock of handlers', () => {
  it('expires once, after its time', async () => {
    const clock = new HandlerClock();
    let expired = 0;
    const started = performance.now();
    clock.watch(40, () => expired++);
    await until(() => expired > 0, 'the expiry');
    assert.ok(performance.now() - started >= 39);
    clock.dispose();
    assert.equal(expired, 1);
  });

  it('does not count the time that the process stood still', async () => {
    const clock = new HandlerClock();
    let expired = false;
    let probe = false;
    clock.watch(300, () => {
      expired = true;
    });
    setTimeout(() => standStill(1_200), 10);
    setTimeout(() => {
      probe = true;
    }, 1_260);
    await until(() => probe, 'the moment after the standstill');
    assert.equal(expired, false);
    await until(() => expired, 'the expiry');
    clock.dispose();
  });

  it('does not count the time between pause and resume; pauses nest', async () => {
    const clock = new HandlerClock();
    let expired = false;
    const deadline = clock.watch(30, () => {
      expired = true;
    });
    deadline.pause();
    deadline.pause();
    deadline.resume();
    let other = false;
    clock.watch(90, () => {
      other = true;
    });
    await until(() => other, 'the other deadline');
    assert.equal(expired, false);
    deadline.resume();
    await until(() => expired, 'the expiry');
    clock.dispose();
  });

  it('forgets what ended', async () => {
    const clock = new HandlerClock();
    let expired = false;
    clock
      .watch(10, () => {
        expired = true;
      })
      .end();
    let other = false;
    clock.watch(40, () => {
      other = true;
    });
    await until(() => other, 'the other deadline');
    assert.equal(expired, false);
    clock.dispose();
  });
});
