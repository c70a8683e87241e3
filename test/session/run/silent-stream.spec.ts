import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import { emptyMessage } from '../../../src/agent/models/requests/empty-message';
import { failureOf } from '../../../src/agent/models/requests/request-failure';
import { SILENT_MS, SilentStream } from '../../../src/session/run/request/silent-stream';
import { deferred, type Deferred } from '../../../src/base/async/wait';
import { scriptedModel } from '../../support/scripted-stream';

const message = emptyMessage(scriptedModel);
const word = (delta: string): AssistantMessageEvent => ({
  type: 'text_delta',
  contentIndex: 0,
  delta,
  partial: { ...message, content: [{ type: 'text', text: delta }] },
});

describe('a model that says nothing', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
  afterEach(() => mock.timers.reset());

  /** A stream whose events are let through one by one. */
  function opened(count = 2): {
    readonly gates: readonly Deferred<AssistantMessageEvent>[];
    readonly silence: SilentStream;
    readonly told: (number | undefined)[];
    readonly signals: AbortSignal[];
    readonly read: () => AsyncIterator<AssistantMessageEvent>;
  } {
    const gates = Array.from({ length: count }, () => deferred<AssistantMessageEvent>());
    const told: (number | undefined)[] = [];
    const signals: AbortSignal[] = [];
    const silence = new SilentStream(async function* (_model, _context, { signal }) {
      if (signal !== undefined) signals.push(signal);
      for (const gate of gates) yield await gate.promise;
    });
    silence.onDidChange(() => {
      told.push(silence.silentSince);
    });
    const read = (): AsyncIterator<AssistantMessageEvent> => {
      const stream = silence.stream(scriptedModel, { messages: [] }, {});
      assert.ok(Symbol.asyncIterator in stream);
      return stream[Symbol.asyncIterator]();
    };
    return { gates, silence, told, signals, read };
  }

  /** Lets what is ready happen; timers stand still meanwhile. */
  const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

  it('is told after 30 s, before the first word and within an answer, until it says something', async () => {
    const { gates, told, read } = opened();
    const events = read();
    const first = events.next();
    await settle();
    mock.timers.tick(SILENT_MS - 1);
    assert.equal(told.length, 0);
    mock.timers.tick(1);
    assert.deepEqual(told, [0]);
    gates[0]?.resolve(word('a'));
    assert.equal(((await first) as IteratorYieldResult<AssistantMessageEvent>).value.type, 'text_delta');
    assert.deepEqual(told, [0, undefined]);
    // Whoever reads may take its time.
    mock.timers.tick(SILENT_MS);
    assert.equal(told.length, 2);
    const second = events.next();
    await settle();
    mock.timers.tick(SILENT_MS);
    assert.deepEqual(told, [0, undefined, 2 * SILENT_MS]);
    gates[1]?.resolve(word('b'));
    await second;
    assert.equal((await events.next()).done, true);
    assert.deepEqual(told, [0, undefined, 2 * SILENT_MS, undefined]);
  });

  it('is broken off when the person wants it, and fails for a reason after which it is asked again', async () => {
    const { gates, silence, signals, read } = opened();
    const events = read();
    const first = events.next();
    gates[0]?.resolve(word('half'));
    await first;
    silence.breakOff();
    assert.ok(
      signals.every(({ aborted }) => !aborted),
      'it is not silent yet',
    );
    const second = events.next();
    await settle();
    mock.timers.tick(SILENT_MS);
    silence.breakOff();
    const { value } = (await second) as IteratorYieldResult<AssistantMessageEvent>;
    assert.ok(value.type === 'error');
    assert.deepEqual(failureOf(value.error), { cause: 'silent', retryable: true });
    assert.deepEqual(value.error.content, [{ type: 'text', text: 'half' }]);
    assert.ok(signals.every(({ aborted }) => aborted));
    assert.equal(silence.silentSince, undefined);
    assert.equal((await events.next()).done, true);
  });
});
