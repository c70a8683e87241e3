import assert from 'node:assert/strict';
import { Quiet, QUIET_MS } from '../../src/vscode/quiet';
import { FakeClock } from '../support/fake-clock';

describe('waiting until nobody types', () => {
  let clock: FakeClock;
  let quiet: Quiet;
  let calls: number;
  const call = (): void => void (calls += 1);

  beforeEach(() => {
    clock = new FakeClock();
    quiet = new Quiet(clock);
    calls = 0;
  });

  it('is over at once when nobody has typed yet', () => {
    quiet.whenQuiet(call);
    assert.deepEqual([calls, clock.waiting], [1, 0]);
  });

  it('is over at once when the last key was two seconds ago, and not before', () => {
    quiet.note();
    clock.pass(QUIET_MS - 1);
    quiet.whenQuiet(call);
    assert.equal(calls, 0);
    clock.pass(1);
    assert.equal(calls, 1);
    quiet.whenQuiet(call);
    assert.equal(calls, 2);
  });

  it('begins anew with each key, for as long as someone types', () => {
    quiet.note();
    quiet.whenQuiet(call);
    for (let key = 0; key < 100; key++) {
      clock.pass(200);
      quiet.note();
    }
    assert.equal(calls, 0);
    clock.pass(QUIET_MS - 1);
    assert.equal(calls, 0);
    clock.pass(1);
    assert.equal(calls, 1);
  });

  it('begins anew when the timer was held up, as keys that came meanwhile are reported after it', () => {
    quiet.note();
    quiet.whenQuiet(call);
    clock.holdUp(QUIET_MS + 1_000);
    assert.equal(calls, 0);
    clock.pass(QUIET_MS - 1);
    assert.equal(calls, 0);
    clock.pass(1);
    assert.equal(calls, 1);
  });

  it('calls once, and not again at later keys and pauses', () => {
    quiet.note();
    quiet.whenQuiet(call);
    clock.pass(QUIET_MS);
    quiet.note();
    clock.pass(QUIET_MS * 3);
    assert.deepEqual([calls, clock.waiting], [1, 0]);
  });

  it('ends without a call and without a timer when it is disposed, also after it began anew', () => {
    quiet.note();
    const waiting = quiet.whenQuiet(call);
    clock.pass(1_000);
    quiet.note();
    clock.pass(1_500);
    waiting.dispose();
    clock.pass(QUIET_MS * 3);
    assert.deepEqual([calls, clock.waiting], [0, 0]);
  });

  it('knows the time of the last key', () => {
    assert.equal(quiet.lastActivity, -Infinity);
    quiet.note();
    assert.equal(quiet.lastActivity, clock.now());
    clock.pass(5);
    assert.equal(quiet.lastActivity, clock.now() - 5);
  });
});
