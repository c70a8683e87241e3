import assert from 'node:assert/strict';
import { errorWords } from '../../../webview/cards/error-words';

const SENTENCE = 'Provider "p" did not accept the request for model "m" (400).';

describe('the words of an error', () => {
  for (const [form, body] of [
    ['Anthropic', '{"type":"error","error":{"type":"invalid_request_error","message":"no {braces}"}}'],
    ['a text as error', '{"error":"no {braces}"}'],
    ['a message at the top', '{"message":"no {braces}","code":400}'],
    ['a detail', '{"detail":"no {braces}"}'],
    ['several lines', '{\n  "error": {\n    "code": 400,\n    "message": "no {braces}"\n  }\n}'],
  ] as const) {
    it(`are the message of a body: ${form}`, () => {
      for (const status of ['', '400 ', '400: ']) {
        assert.equal(errorWords(`${SENTENCE}\n${status}${body}`), `${SENTENCE}\nno {braces}`);
        assert.equal(errorWords(`${status}${body}\n${SENTENCE}`), `no {braces}\n${SENTENCE}`);
      }
    });
  }

  it('stay as they are without a body that has a message', () => {
    for (const text of [
      SENTENCE,
      '400 messages.0: text must not be empty',
      '400 {"error":{"message":"cut in the mid',
      '400 {"error":{"code":7}}',
      '400 {"error":{"message":""}}',
      '400 {"error":null}',
      'model {x} is unknown',
      '',
    ]) {
      assert.equal(errorWords(text), text);
    }
  });
});
