import assert from 'node:assert/strict';
import { silentLog } from '../../../src/base/log';
import { HookEventQueue } from '../../../src/session/run/hook-event-queue';

/** ms; how long it is does not matter here, only that it ends. */
const WAIT_LIMIT_MS = 20;

describe('telling hooks of a run', () => {
  let warnings: string[];
  let queue: HookEventQueue;

  beforeEach(() => {
    warnings = [];
    queue = new HookEventQueue({ ...silentLog, warn: text => warnings.push(text) }, () => false, WAIT_LIMIT_MS);
  });

  it('delivers in order and waits for what was told', async () => {
    const got: string[] = [];
    for (const name of ['a', 'b']) {
      queue.enqueue(name, async () => {
        await new Promise(setImmediate);
        got.push(name);
      });
    }
    await queue.whenDelivered();
    assert.deepEqual(got, ['a', 'b']);
    assert.deepEqual(warnings, []);
  });

  it('gives up on a handler that hangs once, not for each event', async () => {
    const got: number[] = [];
    for (let index = 0; index < 4; index++) {
      queue.enqueue('message_update', () => {
        got.push(index);
        return new Promise(() => undefined);
      });
    }
    await delivered('turn_end');
    assert.deepEqual(got, [0, 1, 2, 3]);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /message_update is still busy after 20 ms/);
  });

  it('waits for an event again once its handler has ended', async () => {
    let end = (): void => undefined;
    queue.enqueue('turn_start', () => new Promise<void>(resolve => (end = resolve)));
    await delivered('turn_end');
    end();
    await delivered('turn_end');
    let done = false;
    queue.enqueue('turn_start', async () => {
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      done = true;
    });
    await queue.whenDelivered();
    assert.equal(done, true);
  });

  it('does not let one wait last longer than its limit, however many events hang', async () => {
    for (let index = 0; index < 50; index++) queue.enqueue(`event ${index}`, () => new Promise(() => undefined));
    await queue.whenDelivered();
    await queue.whenDelivered();
    assert.ok(warnings.length < 10, `${warnings.length} handlers were waited for`);
  });

  it('does not wait after a stop', async () => {
    queue.enqueue('turn_end', () => new Promise(() => undefined));
    const stop = new AbortController();
    const settled = queue.whenDelivered(stop.signal);
    stop.abort();
    await settled;
    assert.deepEqual(warnings, []);
  });

  /** Resolves when everything told so far was delivered, however long that takes. */
  function delivered(event: string): Promise<void> {
    return new Promise(resolve =>
      queue.enqueue(event, () => {
        resolve();
        return Promise.resolve();
      }),
    );
  }
});
