/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/require-await -- hooks are foreign code */
import assert from 'node:assert/strict';
import { PromiseWatch, type Settled } from '../../../src/hook-run/dispatch/settle';
import { hook, hostWith } from '../../support/hook-host';

const EVENT = { type: 'turn_start', turnIndex: 0, timestamp: 1 } as const;

describe('how a handler is waited for', () => {
  it('sees at once what has settled', async () => {
    const watch = new PromiseWatch();
    const settledOf = async (promise: Promise<unknown>): Promise<Settled | undefined> => {
      assert.ok(watch.observe(promise));
      await Promise.resolve();
      return watch.settled;
    };
    assert.deepEqual(await settledOf(Promise.resolve(1)), { type: 'value', value: 1 });
    assert.equal((await settledOf(Promise.reject(new Error('no'))))?.type, 'threw');
    assert.deepEqual(await settledOf(Promise.resolve()), { type: 'value', value: undefined });
    assert.equal(await settledOf(new Promise(() => undefined)), undefined);
  });

  it('calls the `then` of a foreign promise once', async () => {
    let calls = 0;
    const foreign = {
      then: (resolve: (value: unknown) => void) => {
        calls++;
        resolve(undefined);
      },
    };
    const own = Object.assign(Promise.resolve(), { then: foreign.then });
    const host = await hostWith([
      hook('v1', pi => pi.on('turn_start', () => foreign)),
      hook('v1', pi => pi.on('turn_start', () => own)),
    ]);
    await host.emit(EVENT);
    assert.equal(calls, 2);
    assert.deepEqual(host.outcomes(), ['1.ts turn_start: nothing', '2.ts turn_start: nothing']);
  });

  it('gives up a handler that ends the run and goes on, even when it has answered', async () => {
    const abort = new AbortController();
    const host = await hostWith([
      hook('v1', pi =>
        pi.on('tool_call', async () => {
          abort.abort();
          return { block: true, reason: 'too late' };
        }),
      ),
    ]);
    await host.emit({ type: 'tool_call', toolCallId: 'c', toolName: 'ls', input: {} }, { signal: abort.signal });
    assert.deepEqual(host.outcomes(), ['1.ts tool_call: ignored']);
  });
});
