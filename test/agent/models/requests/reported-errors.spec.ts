import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api, AssistantMessage, Model } from '@mariozechner/pi-ai';
import { failureOf, type FailureCause } from '../../../../src/agent/models/requests/request-failure';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { compactionNeed } from '../../../../src/session/compaction/compactor';
import { planRetry } from '../../../../src/session/requests/retry-plan';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';
import { tried } from '../../../support/tried';

const settings = {
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 1, maxAgentDelayMs: 1 },
  providerRetry: { maxRetries: 0, maxRetryDelayMs: 60_000 },
};
const event = (value: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
const error = (code: unknown, message: string, more: object = {}): string =>
  event({ error: { code, message, ...more } });

/** The first word of a reply. */
const BEGUN: Readonly<Partial<Record<ScriptedApi, string>>> = {
  'openai-completions': event({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] }),
  'openai-responses':
    event({ type: 'response.created', response: { id: 'r' } }) +
    event({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'message', id: 'm', role: 'assistant', content: [] },
    }) +
    event({ type: 'response.output_text.delta', output_index: 0, item_id: 'm', delta: 'Hel' }),
  'anthropic-messages':
    event(
      { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } } },
      'message_start',
    ) +
    event(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hel' } },
      'content_block_start',
    ),
};

interface Reported {
  readonly name: string;
  readonly body: string;
  /** Default: a stream of events. */
  readonly type?: string;
  readonly says: string;
  readonly cause: FailureCause;
  readonly isTried?: true;
}

const ERRORS: readonly Reported[] = [
  { name: 'unpaid', body: error(402, 'Insufficient credits'), says: 'Insufficient credits', cause: 'quota' },
  { name: 'a refused key', body: error(401, 'No such key'), says: 'No such key', cause: 'key-refused' },
  { name: 'forbidden, the code as a text', body: error('403', 'Key limit'), says: 'Key limit', cause: 'forbidden' },
  { name: 'a policy', body: error('content_policy', 'Refused by policy'), says: 'Refused by policy', cause: 'unknown' },
  { name: 'a quota', body: error('insufficient_quota', 'Quota is used up'), says: 'Quota is used up', cause: 'quota' },
  { name: "Zhipu's limit", body: error('1308', 'Usage limit reached'), says: 'Usage limit reached', cause: 'quota' },
  { name: 'an error that is a text', body: event({ error: 'policy says no' }), says: 'policy says no', cause: 'unknown' }, // prettier-ignore
  { name: 'plain text in an event', body: 'data: not for you\n\n', says: 'not for you', cause: 'unknown' },
  { name: 'plain text in an event "error"', body: 'event: error\ndata: not for you\n\n', says: 'not for you', cause: 'unknown' }, // prettier-ignore
  { name: 'plain text', body: 'You are not allowed to do this.', says: 'You are not allowed to do this.', cause: 'unknown' }, // prettier-ignore
  { name: 'JSON without an event', body: '{"error":{"code":402,"message":"No credits"}}', says: 'No credits', cause: 'quota' }, // prettier-ignore
  { name: 'an error before the last mark', body: `${error(402, 'No credits')}data: [DONE]\n\n`, says: 'No credits', cause: 'quota' }, // prettier-ignore
  { name: 'too large', body: error(413, 'Payload too large'), says: 'Payload too large', cause: 'overflow' },
  { name: 'too long', body: error('1261', 'Prompt exceeds max length'), says: 'Prompt exceeds max length', cause: 'overflow' }, // prettier-ignore
  { name: 'a rate limit', body: error(429, 'Slow down'), says: 'Slow down', cause: 'rate-limit', isTried: true },
  { name: 'a gateway', body: error(502, 'Provider returned error'), says: 'Provider returned error', cause: 'server', isTried: true }, // prettier-ignore
  { name: 'a gateway without a code', body: error(null, 'Provider returned error'), says: 'Provider returned error', cause: 'overloaded', isTried: true }, // prettier-ignore
  { name: 'ResourceExhausted', body: error(null, 'ResourceExhausted: Worker limit'), says: 'ResourceExhausted: Worker limit', cause: 'overloaded', isTried: true }, // prettier-ignore
  { name: 'a busy server', body: error('server_busy', 'Try later'), says: 'Try later', cause: 'overloaded', isTried: true }, // prettier-ignore
  { name: 'an error of another API', body: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }), says: 'Overloaded', cause: 'overloaded', isTried: true }, // prettier-ignore
];

const BODIES: readonly Reported[] = [
  { name: 'JSON', type: 'application/json', body: '{"error":{"code":402,"message":"No credits"}}', says: 'No credits', cause: 'quota' }, // prettier-ignore
  { name: 'JSON with a detail', type: 'application/json', body: '{"detail":"Not enough funds"}', says: 'Not enough funds', cause: 'unknown' }, // prettier-ignore
  { name: 'a page', type: 'text/html', body: '<!DOCTYPE html><html><style>b{}</style><b>Log in</b> first</html>', says: 'Log in first', cause: 'unknown' }, // prettier-ignore
  { name: 'a page of a gateway', type: 'text/html', body: '<html><title>502 Bad Gateway</title></html>', says: '502 Bad Gateway', cause: 'server', isTried: true }, // prettier-ignore
  { name: 'text', type: 'text/plain', body: 'The quota of today is gone', says: 'The quota of today is gone', cause: 'unknown' }, // prettier-ignore
];

/** Refusals with a status of their own. */
const REFUSALS: readonly (Omit<Reported, 'body' | 'says'> & {
  status: number;
  error: { code?: string; message: string };
})[] = [
  { name: '408', status: 408, error: { message: 'Took too long' }, cause: 'server', isTried: true },
  { name: 'busy', status: 503, error: { code: 'server_busy', message: 'Come back' }, cause: 'server', isTried: true },
  { name: 'busy, as a bad request', status: 400, error: { code: 'server_busy', message: 'Come back' }, cause: 'overloaded', isTried: true }, // prettier-ignore
  { name: 'capacity', status: 400, error: { message: 'The model is at capacity' }, cause: 'overloaded', isTried: true },
  { name: 'unavailable', status: 404, error: { message: 'It is temporarily unavailable' }, cause: 'overloaded', isTried: true }, // prettier-ignore
  { name: 'OpenRouter', status: 400, error: { message: 'Provider returned error' }, cause: 'overloaded', isTried: true }, // prettier-ignore
  { name: 'ResourceExhausted', status: 400, error: { message: 'ResourceExhausted: full' }, cause: 'overloaded', isTried: true }, // prettier-ignore
  { name: "Zhipu's limit", status: 429, error: { code: '1308', message: 'Usage limit reached' }, cause: 'quota' },
  { name: 'a bad request', status: 400, error: { message: 'No such parameter' }, cause: 'bad-request' },
];

/** A limit on the bytes of a request is mostly hit by pictures, and the server in front of the provider answers. */
const TOO_LONG: readonly (readonly [status: number, type: string, body: string])[] = [
  [413, 'text/plain', ''],
  [413, 'text/plain', 'Payload Too Large'],
  [413, 'text/html', '<html><head><title>413 Request Entity Too Large</title></head></html>'],
  [413, 'application/json', '{"error":{"message":"request entity too large"}}'],
  [400, 'application/json', '{"error":{"code":"1261","message":"Prompt exceeds max length"}}'],
  [400, 'application/json', '{"error":{"message":"Context Window exceeded for given call"}}'],
  [200, 'text/event-stream', error(413, 'Payload Too Large')],
  [200, 'text/event-stream', error('1261', 'Prompt exceeds max length')],
  [200, 'application/json', '{"error":{"message":"Context Window exceeded for given call"}}'],
];

describe('an error of a provider', () => {
  let server: Server;
  let answer: { readonly status?: number; readonly type: string; readonly body: string } = { type: '', body: '' };
  let requests = 0;

  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      requests += 1;
      response.writeHead(answer.status ?? 200, { 'content-type': answer.type }).end(answer.body);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });

  const ask = async (api: ScriptedApi): Promise<[Model<Api>, AssistantMessage]> => {
    const { port } = server.address() as AddressInfo;
    const model = { ...(await ScriptedLlm.unreachableModel(api)), baseUrl: `http://127.0.0.1:${port}` };
    const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'key' }) });
    return [model, await stream(model, { messages: [{ role: 'user', content: 'hi', timestamp: 1 }] }).result()];
  };

  const check = async (
    api: ScriptedApi,
    { says, cause, isTried }: Pick<Reported, 'says' | 'cause' | 'isTried'>,
    name: string,
  ): Promise<void> => {
    tried();
    requests = 0;
    const [, message] = await ask(api);
    assert.equal(message.stopReason, 'error', name);
    assert.equal(requests, 1, name);
    assert.equal(failureOf(message)?.cause, cause, `${name}: ${message.errorMessage}`);
    assert.equal(planRetry(message, 0, settings) !== undefined, isTried === true, `${name}: ${message.errorMessage}`);
    assert.equal(message.errorMessage!.split(says).length, 2, `${name}, once: ${message.errorMessage}`);
    assert.doesNotMatch(message.errorMessage!, /cut in the middle|ended (?:before|without)/, name);
  };

  for (const [api, begun] of Object.entries(BEGUN) as [ScriptedApi, string][]) {
    it(`in a reply with status 200 is shown before the first word: ${api}`, async () => {
      for (const each of ERRORS) {
        answer = { type: 'text/event-stream', body: each.body };
        await check(api, each, each.name);
      }
    });

    it(`in a reply with status 200 is shown after the first word: ${api}`, async () => {
      for (const each of ERRORS) {
        answer = { type: 'text/event-stream', body: begun + each.body };
        await check(api, each, each.name);
      }
    });

    it(`in a reply with status 200 is shown where the body is no stream: ${api}`, async () => {
      for (const each of BODIES) {
        answer = { type: each.type ?? '', body: each.body };
        await check(api, each, each.name);
      }
    });

    it(`decides by its words whether the request is made again: ${api}`, async () => {
      for (const each of REFUSALS) {
        answer = { status: each.status, type: 'application/json', body: JSON.stringify({ error: each.error }) };
        await check(api, { ...each, says: each.error.message }, each.name);
      }
    });

    it(`makes room in the context when it is that the request is too long: ${api}`, async () => {
      for (const [status, type, body] of TOO_LONG) {
        tried();
        answer = { status, type, body };
        const [model, message] = await ask(api);
        const need = await compactionNeed(message, [], model, {
          enabled: true,
          reserveTokens: 100,
          keepRecentTokens: 5,
        });
        assert.deepEqual(need, { reason: 'overflow', willRetry: true, answer: 'did not fit' }, message.errorMessage);
        assert.equal(planRetry(message, 0, settings), undefined, 'the same request is not made again');
      }
    });
  }
});
