import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchWithin, withIdleTimeout } from '../../../../src/agent/models/requests/idle-limit';
import { failureOf } from '../../../../src/agent/models/requests/request-failure';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';

const CONTEXT = { messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }] };
const APIS: readonly ScriptedApi[] = [
  ...(['anthropic-messages', 'openai-completions', 'openai-responses', 'azure-openai-responses'] as const),
  'mistral-conversations',
  'google-generative-ai',
];

describe('a server that falls silent in the middle of an answer', () => {
  let llm: ScriptedLlm;

  beforeEach(async () => {
    llm = await ScriptedLlm.start();
  });

  afterEach(() => llm.stop());

  const ask = (api: ScriptedApi, idleTimeoutMs: number): ReturnType<ReturnType<typeof createStreamFn>> =>
    createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) })(llm.model(api), CONTEXT, {
      idleTimeoutMs,
    });

  for (const api of APIS) {
    it(`is given up, and may be asked again: ${api}`, async () => {
      const held = llm.hold({ text: ['half', ' and half'] }, 3);
      const answer = ask(api, 30);
      const message = await answer.result();
      const { closed } = await held.reached;
      assert.equal(message.stopReason, 'error');
      assert.match(message.errorMessage ?? '', /terminated/);
      assert.equal(failureOf(message)?.retryable, true);
      assert.equal(await closed, true, 'the connection is closed');
    });
  }

  it('is waited for within the limit', async () => {
    const held = llm.hold({ text: ['half', ' and half'] }, 3);
    const answer = ask('anthropic-messages', 20_000);
    await held.reached;
    held.release();
    assert.equal((await answer.result()).stopReason, 'stop');
  });

  it('is waited for where there is no limit', async () => {
    const held = llm.hold({ text: ['half', ' and half'] }, 3);
    const answer = ask('openai-completions', 0);
    await held.reached;
    held.release();
    assert.equal((await answer.result()).stopReason, 'stop');
  });

  it('is left to a client that takes no fetch', () => {
    assert.equal(fetchWithin('bedrock-converse-stream', 20_000), undefined);
  });

  it('lets a stop by the person through', async () => {
    const abort = new AbortController();
    const held = llm.hold({ text: ['half', ' and half'] }, 3);
    const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
    const options = { idleTimeoutMs: 20_000, signal: abort.signal };
    const answer = stream(llm.model(), CONTEXT, options);
    await held.reached;
    abort.abort();
    assert.equal((await answer.result()).stopReason, 'aborted');
  });
});

describe("Node's own limit on silence", () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer(() => undefined);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise<void>(resolve => server.close(() => resolve()));
  });

  it('is another one for a single request', async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    await fetch(url, { signal: AbortSignal.abort() }).catch(() => undefined); // Only then is there what sends requests.
    const failure = await fetch(url, withIdleTimeout(30)).catch((error: unknown) => error as Error);
    assert.ok(failure instanceof Error);
    assert.match(String(failure.cause), /Headers Timeout/);
  });
});
