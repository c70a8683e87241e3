import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OAuthCredentials } from '@mariozechner/pi-ai';
import type { ProviderConfig } from '../../../src/agent/models/provider-config';
import { RegistryRig } from '../../support/registry-rig';

describe('ModelRegistry', () => {
  let rig: RegistryRig;

  beforeEach(async () => {
    rig = await RegistryRig.open();
  });
  afterEach(() => rig.close());

  describe('keys', () => {
    it('are taken in the documented order', async () => {
      const configured = { baseUrl: 'http://x', apiKey: 'from-models-json' };
      await rig.registry.load();
      process.env['GROQ_API_KEY'] = 'from-env';
      assert.equal(await rig.keyOf('groq'), 'from-env');
      await rig.write('models.json', { providers: { groq: configured } });
      await rig.registry.reload();
      assert.equal(await rig.keyOf('groq'), 'from-models-json');
      await rig.write('auth.json', { groq: { type: 'api_key', key: 'from-auth-json' } });
      await rig.registry.reload();
      assert.equal(await rig.keyOf('groq'), 'from-auth-json');
      await rig.typed.set('groq', 'from-secret-storage');
      assert.equal(await rig.keyOf('groq'), 'from-secret-storage');
      rig.registry.authStorage.setRuntimeApiKey('groq', 'from-runtime');
      assert.equal(await rig.keyOf('groq'), 'from-runtime');
      rig.registry.authStorage.removeRuntimeApiKey('groq');
      assert.equal(await rig.keyOf('groq'), 'from-secret-storage');
    });

    it('make no model available whose address lacks the name of an account', async () => {
      await rig.registry.load();
      const available = (provider: string): boolean =>
        rig.registry.getAvailable().some(model => model.provider === provider);
      process.env['CLOUDFLARE_API_KEY'] = 'k';
      delete process.env['CLOUDFLARE_ACCOUNT_ID'];
      assert.equal(await rig.keyOf('cloudflare-workers-ai'), 'k');
      assert.equal(available('cloudflare-workers-ai'), false);
      process.env['CLOUDFLARE_ACCOUNT_ID'] = 'account';
      assert.equal(available('cloudflare-workers-ai'), true);
      assert.equal(available('cloudflare-ai-gateway'), false);
      const env = { CLOUDFLARE_GATEWAY_ID: 'gateway' };
      await rig.write('auth.json', { 'cloudflare-ai-gateway': { type: 'api_key', key: 'k', env } });
      await rig.registry.reload();
      assert.equal(available('cloudflare-ai-gateway'), true);
    });

    it('make a provider available as soon as they are typed', async () => {
      await rig.registry.load();
      const changed = new Promise<void>(resolve => rig.registry.onDidChange(() => resolve()));
      await rig.typed.set('openai', 'typed');
      await changed;
      assert.ok(rig.registry.getAvailable().some(model => model.provider === 'openai'));
    });

    it('are known to whoever asks before the source says that one was saved', async () => {
      await rig.registry.load();
      const model = rig.anyModel('openai');
      assert.equal(await rig.registry.hasKey(model), false);
      rig.typed.keys.set('openai', 'typed');
      assert.equal(await rig.registry.hasKey(model), true);
    });

    it('may be the output of a command or name a variable; a bare name is literal, and said to be', async () => {
      process.env['SOME_NAME'] = 'value-of-variable';
      await rig.write('auth.json', {
        openai: { type: 'api_key', key: '!printf "  from-command  "' },
        groq: { type: 'api_key', key: '$SOME_NAME' },
        xai: { type: 'api_key', key: 'SOME_NAME' },
        cerebras: { type: 'api_key', key: '$SOME_NAME', env: { SOME_NAME: 'of the credential' } },
      });
      await rig.write('models.json', {
        providers: { local: { baseUrl: 'x', apiKey: 'SOME_NAME', headers: { 'x-h': 'SOME_NAME', 'x-i': 'OTHER' } } },
      });
      await rig.registry.load();
      assert.deepEqual(
        await Promise.all(['openai', 'groq', 'xai', 'cerebras', 'local'].map(provider => rig.keyOf(provider))),
        ['from-command', 'value-of-variable', 'SOME_NAME', 'of the credential', 'SOME_NAME'],
      );
      const isSaid = (place: string): string =>
        `${place}: "SOME_NAME" is used as written, although an environment variable has that name. To use the variable, write "$SOME_NAME".`;
      assert.deepEqual(rig.registry.problems, [
        { message: isSaid('models.json, provider "local", apiKey'), file: join(rig.agentDir, 'models.json') },
        { message: isSaid('models.json, provider "local", header "x-h"'), file: join(rig.agentDir, 'models.json') },
        { message: isSaid('auth.json, provider "xai", key'), file: join(rig.agentDir, 'auth.json') },
      ]);
    });

    it('whose variable is not set are not sent, do not make a model available, and are named', async () => {
      await rig.write('auth.json', { openai: { type: 'api_key', key: 'Bearer ${NO_SUCH_API_KEY}' } });
      await rig.write('models.json', {
        providers: {
          xai: { apiKey: '$NO_SUCH_API_KEY' },
          groq: { apiKey: 'k', headers: { 'x-h': '$NO_SUCH_API_KEY' }, modelOverrides: {} },
        },
      });
      await rig.registry.load();
      const available = new Set(rig.registry.getAvailable().map(({ provider }) => provider));
      assert.deepEqual([...available], ['groq']);
      const missing = /: the environment variable NO_SUCH_API_KEY is not set\./;
      for (const [provider, place] of [
        ['openai', /auth\.json, provider "openai", key/],
        ['xai', /models\.json, provider "xai", apiKey/],
        ['groq', /models\.json, provider "groq", header "x-h"/],
      ] as const) {
        await assert.rejects(rig.registry.requestAuth(rig.anyModel(provider)), ({ message }: Error) => {
          return place.test(message) && missing.test(message);
        });
      }
      assert.equal(rig.anyModel('groq').headers, undefined);
      process.env['OPENAI_API_KEY'] = 'from-env';
      assert.equal(await rig.keyOf('openai'), 'from-env');
    });

    it('of hooks may be the bare name of a variable, as their descriptions promise, or be written as in files', async () => {
      process.env['SOME_NAME'] = 'value-of-variable';
      await rig.registry.load();
      const base = { baseUrl: 'http://x', api: 'openai-completions', models: [{ id: 'm' }] };
      const headers = { 'x-bare': 'SOME_NAME', 'x-dollar': '<$SOME_NAME>' };
      rig.registry.registerProvider('bare', { ...base, apiKey: 'SOME_NAME', headers }, '/hooks/a.ts');
      rig.registry.registerProvider('dollar', { ...base, apiKey: '$SOME_NAME' }, '/hooks/b.ts');
      rig.registry.registerProvider('missing', { ...base, apiKey: '$NO_SUCH_NAME' }, '/hooks/c.ts');
      rig.registry.registerProvider('today', { ...base, apiKey: 'SOME_NAME' }, '/hooks/d.ts', { namesKeysBare: false });
      assert.equal(await rig.keyOf('today'), 'SOME_NAME');
      assert.deepEqual(await rig.registry.requestAuth(rig.anyModel('bare')), {
        apiKey: 'value-of-variable',
        headers: { 'x-bare': 'value-of-variable', 'x-dollar': '<value-of-variable>' },
      });
      assert.equal(await rig.keyOf('dollar'), 'value-of-variable');
      await assert.rejects(
        rig.registry.requestAuth(rig.anyModel('missing')),
        /provider "missing" of \/hooks\/c\.ts, apiKey: the environment variable NO_SUCH_NAME is not set/,
      );
      assert.deepEqual(rig.registry.problems, []);
    });

    it('whose command fails are reported by the command, and the next source is asked', async () => {
      await rig.write('auth.json', { openai: { type: 'api_key', key: '!exit 3' } });
      await rig.registry.load();
      const model = rig.anyModel('openai');
      assert.equal(await rig.registry.getApiKey(model), undefined);
      await assert.rejects(rig.registry.requestAuth(model), /provider "openai".*"exit 3" failed with exit code 3/);
      process.env['OPENAI_API_KEY'] = 'from-env';
      assert.equal(await rig.registry.getApiKey(model), 'from-env');
    });

    it('run their command once, and again after a refresh', async () => {
      const counter = join(rig.agentDir, 'count');
      await rig.write('auth.json', {
        openai: { type: 'api_key', key: `!echo x >> "${counter}"; wc -l < "${counter}"` },
      });
      await rig.registry.load();
      await Promise.all([rig.keyOf('openai'), rig.keyOf('openai')]);
      assert.equal(await rig.keyOf('openai'), '1');
      await rig.registry.reload();
      assert.equal(await rig.keyOf('openai'), '2');
    });

    it('of models.json run their command for each request, as such keys may be short-lived', async () => {
      const counter = join(rig.agentDir, 'count');
      const command = `!echo x >> "${counter}"; wc -l < "${counter}"`;
      await rig.write('models.json', { providers: { openai: { apiKey: command } } });
      await rig.registry.load();
      assert.deepEqual([await rig.keyOf('openai'), await rig.keyOf('openai')], ['1', '2']);
    });

    it('are not read from an auth.json that is rubbish, which is left alone', async () => {
      await rig.write('auth.json', '{"openai": {"type": "api_key", "key": "sk-secret"');
      await rig.registry.load();
      assert.equal(await rig.keyOf('openai'), undefined);
      assert.match(rig.registry.problems[0]!.message, /auth\.json does not hold a JSON object/);
      assert.ok(!rig.registry.problems[0]!.message.includes('secret'));
      await assert.rejects(rig.registry.authStorage.logout('openai'));
      assert.match(await readFile(join(rig.agentDir, 'auth.json'), 'utf8'), /sk-secret/);
    });

    it('of an entry that is wrong are reported by provider and field; the others count', async () => {
      await rig.write('auth.json', { openai: { type: 'api_key' }, groq: { type: 'api_key', key: 'good' } });
      await rig.registry.load();
      assert.match(rig.registry.problems[0]!.message, /auth\.json, provider "openai": key/);
      assert.equal(await rig.keyOf('groq'), 'good');
    });

    it('of a kind that nobody knows yet are named, left alone, and stop nothing', async () => {
      const auth = { openai: { type: 'passkey', id: 7 }, groq: { type: 'api_key', key: 'good' } };
      await rig.write('auth.json', `\uFEFF${JSON.stringify(auth)}`);
      await rig.registry.load();
      assert.deepEqual(
        rig.registry.problems.map(({ message }) => message),
        ['auth.json, provider "openai": credentials of type "passkey" are unknown; Hookline does not change them.'],
      );
      assert.equal(await rig.keyOf('groq'), 'good');
      await rig.registry.authStorage.logout('openai');
      assert.match(await readFile(join(rig.agentDir, 'auth.json'), 'utf8'), /"passkey","id":7/);
    });

    it('cannot be written to auth.json by hooks', async () => {
      await rig.registry.load();
      assert.throws(() => rig.registry.authStorage.set('openai'), /Set API Key/);
      assert.deepEqual(await readdir(rig.agentDir), []);
    });
  });

  describe('logins', () => {
    const tokens = (access: string, expires: number): OAuthCredentials => ({ access, refresh: `r-${access}`, expires });
    let renewals: string[];
    let answer: () => Promise<OAuthCredentials>;
    const withLogin = (): ProviderConfig => ({
      baseUrl: 'http://x',
      api: 'openai-completions',
      models: [{ id: 'm' }],
      oauth: {
        name: 'Acme',
        login: () => Promise.resolve({ ...tokens('new', RegistryRig.now + 3_600_000), account: 'me' }),
        refreshToken: credentials => {
          renewals.push(credentials.refresh);
          return answer();
        },
        getApiKey: credentials => `key-${credentials.access}`,
        modifyModels: models =>
          models.map(model => (model.provider === 'acme' ? { ...model, baseUrl: 'http://mine' } : model)),
      },
    });

    beforeEach(async () => {
      renewals = [];
      answer = () => Promise.resolve(tokens('renewed', RegistryRig.now + 3_600_000));
      await rig.registry.load();
      rig.registry.registerProvider('acme', withLogin(), 'hook-1');
    });

    const other = { groq: { type: 'api_key', key: 'k' }, odd: [1, { two: 3 }] };

    it('are used while they last', async () => {
      await rig.write('auth.json', { acme: { type: 'oauth', ...tokens('fresh', RegistryRig.now + 3_600_000) } });
      await rig.registry.reload();
      assert.equal(await rig.keyOf('acme'), 'key-fresh');
      assert.equal(rig.registry.isUsingOAuth({ provider: 'acme' }), true);
      assert.equal(rig.registry.find('acme', 'm')?.baseUrl, 'http://mine');
      assert.deepEqual(renewals, []);
    });

    it('are renewed once when they expired, and only they are written, with mode 0600', async () => {
      await rig.write('auth.json', {
        ...other,
        acme: { type: 'oauth', ...tokens('old', RegistryRig.now - 1), account: 'me' },
      });
      await rig.registry.reload();
      const keys = await Promise.all([rig.keyOf('acme'), rig.keyOf('acme'), rig.keyOf('acme')]);
      assert.deepEqual(keys, ['key-renewed', 'key-renewed', 'key-renewed']);
      assert.deepEqual(renewals, ['r-old']);
      assert.deepEqual(await rig.readAuth(), {
        ...other,
        acme: { type: 'oauth', ...tokens('renewed', RegistryRig.now + 3_600_000), account: 'me' },
      });
      assert.deepEqual(await readdir(rig.agentDir), ['auth.json'], 'no temporary file, no lock');
      if (process.platform !== 'win32') assert.equal((await stat(join(rig.agentDir, 'auth.json'))).mode & 0o777, 0o600);
    });

    it('that another process renewed meanwhile are taken from the file', async () => {
      await rig.write('auth.json', { acme: { type: 'oauth', ...tokens('old', RegistryRig.now - 1) } });
      await rig.registry.reload();
      await rig.write('auth.json', { acme: { type: 'oauth', ...tokens('theirs', RegistryRig.now + 3_600_000) } });
      assert.equal(await rig.keyOf('acme'), 'key-theirs');
      assert.deepEqual(renewals, []);
    });

    it('that cannot be renewed say so and stay', async () => {
      answer = () => Promise.reject(new Error('invalid_grant'));
      const before = { acme: { type: 'oauth', ...tokens('old', RegistryRig.now - 1) } };
      await rig.write('auth.json', before);
      await rig.registry.reload();
      await assert.rejects(
        rig.registry.requestAuth(rig.anyModel('acme')),
        /The login for "acme" has expired and could not be renewed \(invalid_grant\)\. To log in again, run "Hookline: Log In…"\./,
      );
      assert.deepEqual(await rig.readAuth(), before);
    });

    it('are saved by login and removed by logout; keys stay', async () => {
      await rig.write('auth.json', other);
      await rig.registry.reload();
      const callbacks = { onAuth: () => undefined, onPrompt: () => Promise.resolve('') };
      await rig.registry.authStorage.login('acme', callbacks);
      assert.deepEqual(await rig.readAuth(), {
        ...other,
        acme: { type: 'oauth', ...tokens('new', RegistryRig.now + 3_600_000), account: 'me' },
      });
      assert.equal(await rig.keyOf('acme'), 'key-new');
      await rig.registry.authStorage.logout('acme');
      await rig.registry.authStorage.logout('groq');
      assert.deepEqual(await rig.readAuth(), other);
      await assert.rejects(rig.registry.authStorage.login('nobody', callbacks), /"nobody" has no login/);
    });

    it('of pi-ai are offered too', () => {
      const ids = rig.registry.authStorage.getOAuthProviders().map(({ id }) => id);
      assert.ok(ids.includes('acme') && ids.includes('anthropic') && ids.includes('github-copilot'));
    });
  });
});
