import assert from 'node:assert/strict';
import { emptyMessage } from '../../../../src/agent/models/requests/empty-message';
import {
  failureOf,
  noteFailure,
  readFailure,
  requestFailure,
} from '../../../../src/agent/models/requests/request-failure';

const failed = (errorMessage: string) => ({
  ...emptyMessage({ api: 'any', provider: 'any', id: 'any' }),
  stopReason: 'error' as const,
  errorMessage,
});

describe('why a request failed, read from its text', () => {
  for (const [text, cause, status] of [
    ['503 overloaded', 'server', 503],
    ['404 status code (no body)', 'not-found', 404],
    ['529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'overloaded', 529],
    ['Mistral API error (429): {"detail":"slow"}', 'rate-limit', 429],
    ['{"error":{"code":404,"message":"models/500 is not found","status":"NOT_FOUND"}}', 'not-found', 404],
    ['got status: UNAVAILABLE. {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}', 'server', 503],
    ['Request failed with status code 500', 'server', 500],
    ['HTTP 502', 'server', 502],
    ['the gateway said 504 Gateway Timeout', 'server', 504],
    ['Provider "a" knows no model "b" at http://127.0.0.1:500/v1 (404).\nno such model', 'not-found', 404],
    [
      'Provider "a" refused the API key (401). To set another one, run "Hookline: Set API Key…".\nno',
      'key-refused',
      401,
    ],
    ['402 Insufficient credits', 'quota', 402],
    ['429 You exceeded your current quota, please check your plan and billing details.', 'quota', 429],
    ['429 {"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"none left"}}', 'quota', 429],
    ['429 {"type":"FreeUsageLimitError","message":"tomorrow"}', 'quota', 429],
    ['429 rate limit for requests, ask "billing" for more', 'rate-limit', 429],
    ['401 no such key, see billing', 'key-refused', 401],
    ['429 {"error":{"code":"1308","message":"Usage limit reached for 5 hour"}}', 'quota', 429],
    ['429: {"code":1308,"message":"Usage limit reached"}', 'quota', 429],
    ['429: {"code":"13081","message":"slow"}', 'rate-limit', 429],
    ['{"error":{"type":"insufficient_quota","message":"none left"}}', 'quota', undefined],
    ['{"error":{"code":"server_busy","message":"later"}}', 'overloaded', undefined],
    ['The model is at capacity', 'overloaded', undefined],
    ['404 The model is temporarily unavailable', 'overloaded', 404],
    ['400 Provider returned error', 'overloaded', 400],
    ['400 Provider "returned error"', 'bad-request', 400],
    ['408 Request Timeout', 'server', 408],
    ['ResourceExhausted: Worker local total request limit reached', 'overloaded', undefined],
    ['The stream was interrupted', 'server', undefined],
    ['You can retry your request', 'server', undefined],
    ['413 <html><h1>Too large</h1></html>', 'overflow', 413],
    ['{"error":{"code":"403","message":"no"}}', 'forbidden', 403],
    ['{"error":"policy says no"}', 'unknown', undefined],
    ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'overloaded', undefined],
    ['Throttling error: Too many requests, please wait', 'rate-limit', undefined],
    ['Service unavailable: later', 'server', undefined],
    ['Error Code server_error: oh', 'server', undefined],
    ['Provider finish_reason: network_error', 'network', undefined],
    ['TypeError: fetch failed', 'network', undefined],
    ['connect ECONNREFUSED 127.0.0.1:45003', 'network', undefined],
    ['read ECONNRESET', 'network', undefined],
    ['write EPIPE', 'network', undefined],
    ['connect EHOSTUNREACH 10.0.0.1:443', 'network', undefined],
    ['Connection closed.', 'network', undefined],
    ['getaddrinfo EAI_AGAIN api.example.com', 'network', undefined],
    ['Connection error: the reply of provider "a" was cut in the middle.\nterminated', 'network', undefined],
    ['You have hit your ChatGPT usage limit (plus plan). Try again in ~429 min.', 'quota', undefined],
    // Numbers and words that say nothing about the failure.
    ['No model at http://127.0.0.1:500/429?code=503', 'unknown', undefined],
    ['No model at localhost:503', 'unknown', undefined],
    ['Model "overloaded-500" is not known', 'unknown', undefined],
    ['The tool `rate limit` has no parameter 429', 'unknown', undefined],
    ['request req_500429 was refused', 'unknown', undefined],
    ['max_tokens must be at most 500 and is 50000', 'unknown', undefined],
    ['{"error":{"type":"invalid_request","message":"\\"server error 500\\" is no name"}}', 'unknown', undefined],
    ['400 overloaded', 'overloaded', 400],
    ['400 the prompt speaks of a rate limit, error 503', 'bad-request', 400],
  ] as const) {
    it(`${JSON.stringify(text)} is ${cause}`, () => {
      assert.deepEqual(readFailure({ text }), requestFailure(cause, status));
    });
  }

  it('a reply that ends without saying why was cut', () => {
    assert.equal(readFailure({ text: 'premature end', started: true }).cause, 'cut');
    assert.equal(readFailure({ text: 'TypeError: no', started: true }).cause, 'unknown');
  });

  it('too long for the context comes before everything else', () => {
    const isOverflow = (text: string): boolean => text.includes('prompt too long');
    assert.deepEqual(readFailure({ text: '500 prompt too long', isOverflow }), requestFailure('overflow', 500));
  });

  it('is not asked of a message whose failure was noted, nor of one that did not fail', () => {
    const message = failed('503 overloaded');
    assert.equal(failureOf(message)?.retryable, true);
    noteFailure(message, requestFailure('quota'));
    assert.deepEqual(failureOf(message), { cause: 'quota', retryable: false });
    assert.equal(failureOf({ ...message, stopReason: 'stop' }), undefined);
  });
});
