import assert from 'node:assert/strict';
import { parseJson } from '../../../src/base/json/parse-json';
import {
  hideLikelySecrets,
  hideSecrets,
  hideSecretsIn,
  hideSecretsOfHeaders,
  learnSecret,
  learnSecretsNamed,
  learnSecretHeaders,
  learnSecretsOfAddress,
  learnSecretVariables,
} from '../../../src/base/text/redact';

describe('hiding secrets', () => {
  const shapes: readonly (readonly [text: string, hidden: string])[] = [
    ['refused sk-ant-api03-AbCdEfGhIjKl for you', 'refused [redacted] for you'],
    ['refused sk-proj-0123456789abcdef', 'refused [redacted]'],
    ['git push with ghp_0123456789abcdefghij', 'git push with [redacted]'],
    ['gho_abcdefghij0123456789', '[redacted]'],
    ['github_pat_11ABCDEFG0_abcdefghijkl', '[redacted]'],
    ['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
    ['xoxb-1234567890-abcdef', '[redacted]'],
    ['Authorization: Bearer abcdefgh', 'Authorization: Bearer [redacted]'],
    ['{"authorization":"Basic dXNlcg=="}', '{"authorization":"Basic [redacted]"}'],
    ['bearer t0kenvalue.x', 'bearer [redacted]'],
    ['https://me:hunter2@example.org/v1', 'https://me:[redacted]@example.org/v1'],
    ['https://example.org/v1?key=abcdef12&x=1', 'https://example.org/v1?key=[redacted]&x=1'],
    ['https://example.org/?x=1&access_token=abcdef12', 'https://example.org/?x=1&access_token=[redacted]'],
  ];
  for (const [text, hidden] of shapes) {
    it(`takes what has the shape of one out of: ${text}`, () => assert.equal(hideSecrets(text), hidden));
  }

  for (const text of [
    'const token: string = getToken();',
    'a bearer of news, and basic authentication',
    'npm_config_registry, npm-registry-fetch and hf-mirror',
    'http://127.0.0.1:8080/a?b=c',
    'https://example.org/?monkey=business',
    'task-force-of-the-year sk-1',
  ]) {
    it(`leaves as it is: ${text}`, () => assert.equal(hideSecrets(text), text));
  }

  it('takes out what it was told of, wherever it stands and whatever it looks like', () => {
    learnSecret('  my own pass phrase 7  ');
    learnSecret('my own pass phrase 7 and more');
    learnSecretsNamed({
      'X-Api-Key': 'header-value-0815',
      Authorization: 'Token header-value-0816',
      Accept: 'anything-0817',
      SSH_AUTH_SOCK: '/tmp/agent-0818',
      none: undefined,
    });
    learnSecretsOfAddress('https://me:pass%20word-0819@example.org/?auth=query-value-0820&page=page-0821');
    learnSecretsOfAddress('no address');
    assert.equal(hideSecrets('<my own pass phrase 7 and more>my own pass phrase 7</>'), '<[redacted]>[redacted]</>');
    assert.equal(
      hideSecrets('header-value-0815 header-value-0816 anything-0817 /tmp/agent-0818'),
      '[redacted] [redacted] anything-0817 /tmp/agent-0818',
    );
    assert.equal(hideSecrets('pass word-0819 query-value-0820 page-0821'), '[redacted] [redacted] page-0821');
  });

  it('does not learn what may be a word, but hides it of the request that it belongs to', () => {
    for (const word of ['lm-studio', 'ollama', 'none', '<authenticated>']) learnSecret(word);
    assert.equal(hideSecrets('lm-studio, ollama, none, <authenticated>'), 'lm-studio, ollama, none, <authenticated>');
    assert.equal(
      hideSecrets('the key lm-studio is wrong', ['lm-studio', undefined, 'is']),
      'the key [redacted] is wrong',
    );
  });

  it('forgets the oldest of very many, and keeps the newest', () => {
    learnSecret('the oldest secret 1');
    for (let count = 0; count < 500; count += 1) learnSecret(`one of many secrets ${count}.`);
    assert.equal(hideSecrets('the oldest secret 1'), 'the oldest secret 1');
    assert.equal(hideSecrets('one of many secrets 499.'), '[redacted]');
  });

  it('goes through data, and leaves pictures, names and other values as they are', () => {
    const picture = { type: 'image', mimeType: 'image/png', data: 'AKIAIOSFODNN7EXAMPLE' };
    const given = { a: ['ghp_0123456789abcdefghij', 1, null], b: { picture, deep: { c: 'x' } } };
    const before = structuredClone(given);
    assert.deepEqual(hideSecretsIn(given), { a: ['[redacted]', 1, null], b: { picture, deep: { c: 'x' } } });
    assert.deepEqual(given, before, 'what was given is not changed');
  });

  it('leaves out the values of headers that are secret by their name', () =>
    assert.deepEqual(hideSecretsOfHeaders({ 'x-goog-api-key': 'k', Cookie: 'a=b', 'X-Title': 'My App' }), {
      'x-goog-api-key': '[redacted]',
      Cookie: '[redacted]',
      'X-Title': 'My App',
    }));

  for (const [text, hidden] of [
    ['op read op://vault/item --token abc', 'op read op://vault/item --token [redacted]'],
    ['curl -u me:pw https://x.test', 'curl -u me:[redacted] https://x.test'],
    ['API_KEY=abcd ./run', 'API_KEY=[redacted] ./run'],
    ['printf A1b2C3d4E5f6G7h8', 'printf [redacted]'],
    ['exit 4', 'exit 4'],
    ['cat "$HOME/.config/keys/openai.txt"', 'cat "$HOME/.config/keys/openai.txt"'],
  ] as const) {
    it(`hides what may be one in a quoted text: ${text}`, () => assert.equal(hideLikelySecrets(text), hidden));
  }

  it('stays linear on texts made to slow it down', () => {
    for (const piece of [
      '--a',
      'bearer ',
      'bearer a1',
      '?key',
      '?key=',
      '://a:',
      ' -u a',
      'authorization',
      '-u :',
      'a1',
    ]) {
      hideLikelySecrets(piece.repeat(100_000));
    }
  });
});

describe('JSON of files', () => {
  it('is parsed with errors that say where, and never what stands there', () => {
    assert.deepEqual(parseJson('{"a": 1}'), { a: 1 });
    for (const text of ['{\n  "key": swordfish\n}', '{"key": "swordfish"', 'swordfish', '{"a": 1, // swordfish\n}']) {
      assert.throws(
        () => parseJson(text),
        ({ message }: Error) => !message.includes('swordfish') && /at line \d+, column \d+$/.test(message),
        text,
      );
    }
  });
});

describe('secrets that are known by their place', () => {
  it('are the values of configured headers of any name, but for public ones', () => {
    learnSecretHeaders({
      'X-Tenant': 'tenant nine of ten',
      Accept: 'text/plain; q=1',
      'User-Agent': 'agent of ours/1',
    });
    const text = 'tenant nine of ten, text/plain; q=1, agent of ours/1';
    assert.equal(hideSecrets(text), '[redacted], text/plain; q=1, agent of ours/1');
  });

  for (const name of [
    'AWS_SECRET_ACCESS_KEY',
    'AWS_BEARER_TOKEN_BEDROCK',
    'DB_PASSWORD',
    'GH_TOKEN',
    'SIGNING_SECRET',
  ]) {
    it(`are the values of variables: ${name}`, () => {
      learnSecretVariables({ [name]: `value of ${name}` });
      assert.equal(hideSecrets(`has value of ${name}.`), 'has [redacted].');
    });
  }

  it('are not in other variables', () => {
    learnSecretVariables({
      TOKENIZERS: 'value of tokenizers',
      SSH_TOKEN: '/run/user/1000/token',
      KEYBOARD: 'value of it',
    });
    const text = 'value of tokenizers, /run/user/1000/token, value of it';
    assert.equal(hideSecrets(text), text);
  });
});
