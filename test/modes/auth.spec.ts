import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eachWithModel } from './support/each-with-model';

const HOUR = 3_600_000;

describe('hookline auth', function () {
  this.timeout(120_000);
  const { place } = eachWithModel();
  beforeEach(() => {
    const login = { type: 'oauth', access: 'the token', refresh: 'r', expires: Date.now() + HOUR };
    place.file('agent/auth.json', JSON.stringify({ anthropic: login, openai: { type: 'api_key', key: 'the key' } }));
  });

  const run = async (line: string): Promise<readonly [number | null, string, string]> => {
    const { code, stdout, stderr } = await place.run(['auth', ...line.split(' ')]);
    return [code, stdout.trimEnd(), stderr.trimEnd()];
  };

  it('says whether a provider is ready, by word, exit code and JSON', async () => {
    assert.deepEqual(await run('check --provider scripted'), [0, 'ready', '']);
    assert.deepEqual(await run('check --model scripted/two'), [0, 'ready', '']);
    assert.deepEqual(await run('check --provider nobody'), [1, 'not_ready', '']);
    assert.deepEqual(await run('check --provider groq --json'), [
      1,
      '{"status":"not_ready","provider":"groq","reason":"credentials_not_configured"}',
      '',
    ]);
    assert.deepEqual(await run('check --provider anthropic --json --credentials --no-refresh'), [
      0,
      '{"status":"ready","provider":"anthropic","authType":"oauth","credentials":"the token"}',
      '',
    ]);
    const [code, , complaint] = await run('check');
    assert.equal(code, 2);
    assert.match(complaint, /Name the provider with --provider/);
  });

  it('prints a key or a token, and refuses one for the other', async () => {
    assert.deepEqual(await run('print-api-key --provider openai'), [0, 'the key', '']);
    assert.deepEqual(await run('print-bearer-token --provider anthropic --min-expiry 30m'), [0, 'the token', '']);
    const refused = [
      ['print-api-key --provider anthropic', /"anthropic" has a login, but no API key/],
      ['print-api-key --provider groq', /No API key is known for "groq"/],
      ['print-bearer-token --provider openai', /"openai" has no login/],
      ['print-bearer-token --provider anthropic --min-expiry 2h', /expires before that/],
      ['print-bearer-token --provider anthropic --min-expiry soon', /a duration such as 30m/],
      ['print-api-key openai', /"openai" is not expected here: use --provider/],
      ['print-api-key --frobnicate', /--frobnicate/],
      ['dance', /There is no command "auth dance"/],
    ] as const;
    for (const [line, message] of refused) {
      const [code, stdout, stderr] = await run(line);
      assert.deepEqual([code, stdout], [1, ''], line);
      assert.match(stderr, message);
    }
  });

  it('logs out, and logs in only where a person can be asked', async () => {
    assert.deepEqual(await run('logout anthropic'), [0, 'Logged out of anthropic.', '']);
    assert.deepEqual(JSON.parse(readFileSync(join(place.agentDir, 'auth.json'), 'utf8')), {
      openai: { type: 'api_key', key: 'the key' },
    });
    const [code, said] = await run('logout anthropic');
    assert.equal(code, 0, 'it can be repeated');
    assert.match(said, /No login of anthropic is stored/);
    assert.match((await run('logout openai'))[2], /"openai" has no login/);
    assert.match((await run('login openai --api-key'))[2], /This command does not store API keys/);
    assert.match((await run('login nobody'))[2], /Provider "nobody" has no login/);
    assert.match((await run('help'))[1], /auth print-bearer-token/);
  });
});
