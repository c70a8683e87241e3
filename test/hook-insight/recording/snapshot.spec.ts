import assert from 'node:assert/strict';
import { redact, redactText } from '../../../src/base/text/redact';
import { RECORD_LIMIT, snapshot } from '../../../src/hook-insight/recording/snapshot';
import { lazy } from '../../../src/hook-contract/events/payload-parts';

describe('a recorded value', () => {
  it('is a copy: what the hook does later does not change it', () => {
    const given = { input: { command: 'ls', list: [1] } };
    const { value, capped } = snapshot(given);
    given.input.command = 'rm';
    given.input.list.push(2);
    assert.deepEqual(value, { input: { command: 'ls', list: [1] } });
    assert.equal(capped, false);
  });

  it('holds at most about 64 KB and says what was left out', () => {
    const { value, capped } = snapshot({ a: 'x'.repeat(200_000), b: 'never' });
    assert.ok(JSON.stringify(value).length < RECORD_LIMIT + 200);
    assert.equal(capped, true);
    assert.match(JSON.stringify(value), /more characters\]/);
    const list = snapshot(Array.from({ length: 100_000 }, (_, index) => index));
    assert.ok(JSON.stringify(list.value).length < RECORD_LIMIT * 2);
    assert.match(JSON.stringify(list.value), /more elements\]/);
  });

  it('reads no more of a huge value than it keeps', () => {
    let reads = 0;
    const huge = Array.from({ length: 50_000 }, () => ({
      get text() {
        reads += 1;
        return 'y'.repeat(1_000);
      },
    }));
    snapshot({ huge });
    assert.ok(reads < 100, `${reads} of 50,000 elements were read`);
  });

  it('leaves what a hook did not read unread', () => {
    let computed = 0;
    const payload = lazy({ type: 'agent_end' }, { messages: () => (computed += 1) });
    assert.deepEqual(snapshot(payload).value, { type: 'agent_end', messages: '[not read by the hook]' });
    assert.equal(computed, 0);
  });

  it('names what has no JSON form, and survives whatever is thrown at it', () => {
    const circle: Record<string, unknown> = { name: 'a' };
    circle['self'] = circle;
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    const { value } = snapshot({
      circle,
      hostile,
      set: new Set(['a']),
      map: new Map([['k', 1]]),
      big: 10n,
      nan: Number.NaN,
      date: new Date(0),
      bytes: new Uint8Array(3),
      signal: new AbortController().signal,
      missing: undefined,
      call: function named() {
        return undefined;
      },
      image: { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4_000) },
    });
    assert.deepEqual(value, {
      circle: { name: 'a', self: '[circular]' },
      hostile: '[cannot be read]',
      set: { '[Set]': ['a'] },
      map: { '[Map]': [['k', 1]] },
      big: '10n',
      nan: 'NaN',
      date: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      signal: '[AbortSignal]',
      call: '[function named]',
      image: { type: 'image', mimeType: 'image/png', data: '[image/png, 3000 bytes]' },
    });
  });
});

describe('redaction', () => {
  const secrets: readonly (readonly [text: string, secret: string])[] = [
    ['export OPENAI_API_KEY=sk-proj-abcdefghijklmnop', 'abcdefghijklmnop'],
    ['curl -H "Authorization: Bearer abc.def-ghi_jkl"', 'abc.def-ghi_jkl'],
    ['git clone https://me:hunter22@example.org/x.git', 'hunter22'],
    ['token ghp_0123456789abcdefghij here', 'ghp_0123456789abcdefghij'],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'eyJzdWIiOiIxIn0'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
    ['{"password": "correct horse"}', 'correct'],
  ];
  for (const [text, secret] of secrets) {
    it(`takes the secret out of: ${text.slice(0, 40)}`, () => {
      const redacted = redactText(text);
      assert.ok(!redacted.includes(secret), redacted);
      assert.match(redacted, /\[redacted\]/);
    });
  }

  it('takes out what is named as a secret, at any depth, and nothing else', () =>
    assert.deepEqual(
      redact({
        input: { apiKey: 'plain', 'x-api-key': 'plain', tokens: '12', path: 'src/token.ts' },
        list: ['sk-abcdefghijklmnop'],
      }),
      {
        input: { apiKey: '[redacted]', 'x-api-key': '[redacted]', tokens: '12', path: 'src/token.ts' },
        list: ['[redacted]'],
      },
    ));

  it('stays linear on texts made to slow it down', () => {
    for (const piece of [
      'a-b-',
      'api',
      'token ',
      'a:',
      '://a:',
      '://',
      '-eyJ',
      'Bearer ',
      '-----BEGIN ',
      'sk-a ',
      ' ',
    ]) {
      redactText(piece.repeat(200_000) + 'token=abcdefgh');
    }
  });

  it('leaves ordinary text as it is', () => {
    for (const text of [
      'ls -la && npm test',
      'const tokens = count(text);',
      'http://127.0.0.1:8080/a?b=c',
      'skip-the-task-list',
    ]) {
      assert.equal(redactText(text), text);
    }
  });
});
