import assert from 'node:assert/strict';
import { retryAfterOf } from '../../../../src/agent/models/requests/reply-end';
import { failureOf } from '../../../../src/agent/models/requests/request-failure';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { planRetry } from '../../../../src/session/requests/retry-plan';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';

const APIS: readonly ScriptedApi[] = [
  ...(['anthropic-messages', 'openai-completions', 'openai-responses', 'azure-openai-responses'] as const),
  ...(['mistral-conversations', 'google-generative-ai'] as const),
];
const CONTEXT = { messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }] };

describe('the time that a server asks to wait', () => {
  let llm: ScriptedLlm;

  beforeEach(async () => {
    llm = await ScriptedLlm.start();
  });
  afterEach(() => llm.stop());

  const ask = (api: ScriptedApi, maxRetries = 0) =>
    createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) })(llm.model(api), CONTEXT, {
      maxRetries,
      maxRetryDelayMs: 60_000,
    }).result();

  for (const api of APIS) {
    it(`is known from a refused request: ${api}`, async () => {
      llm.fail(429, { retryAfter: 7 });
      assert.equal(failureOf(await ask(api))?.retryAfterMs, 7000);
      llm.fail(429);
      assert.equal(failureOf(await ask(api))?.retryAfterMs, undefined);
    });
  }

  for (const [retryAfter, maxRetryDelayMs, delayMs] of [
    [undefined, 60_000, 2000],
    [1, 60_000, 2000],
    [7, 60_000, 7000],
    [60, 60_000, 60_000],
    [61, 60_000, 2000],
    [3600, 0, 3_600_000],
  ] as const) {
    it(`decides the wait before the next try: asked for ${retryAfter} s of at most ${maxRetryDelayMs} ms`, async () => {
      llm.fail(503, retryAfter === undefined ? {} : { retryAfter });
      const retry = { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxAgentDelayMs: 60_000 };
      const plan = planRetry(await ask('anthropic-messages'), 0, {
        retry,
        providerRetry: { maxRetries: 0, maxRetryDelayMs },
      });
      assert.deepEqual(plan, { attempt: 1, maxAttempts: 3, delayMs });
    });
  }

  for (const api of ['anthropic-messages', 'openai-completions', 'openai-responses'] as const) {
    it(`is kept to by the client where it makes tries of its own, up to the limit: ${api}`, async () => {
      llm.fail(429, { retryAfter: 0 });
      llm.reply({ text: 'fine' });
      assert.equal((await ask(api, 1)).stopReason, 'stop');
      llm.fail(429, { retryAfter: 61 });
      const refused = await ask(api, 1);
      assert.match(refused.errorMessage ?? '', /Server requested 61s retry delay \(max: 60s\)/);
      assert.equal(llm.requests.length, 3, 'the wait is not begun');
    });
  }

  it('is a number of seconds or milliseconds, or a date', () => {
    const told = (headers: Readonly<Record<string, string>>): number | undefined => retryAfterOf(new Headers(headers));
    assert.equal(told({ 'retry-after': '1.5' }), 1500);
    assert.equal(told({ 'retry-after': '9', 'retry-after-ms': '250' }), 250);
    assert.equal(told({ 'retry-after': '-3' }), 0);
    assert.equal(told({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }), 0);
    const later = told({ 'retry-after': new Date(Date.now() + 600_000).toUTCString() }) ?? 0;
    assert.ok(later > 500_000 && later <= 600_000);
    for (const wrong of ['', 'soon', 'NaN']) assert.equal(told({ 'retry-after': wrong }), undefined);
  });
});
