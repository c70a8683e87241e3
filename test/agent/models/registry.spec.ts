import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getBuiltinModels } from '@mariozechner/pi-ai/providers/all';
import { Type, type Api, type Context, type Model, type OAuthCredentials } from '@mariozechner/pi-ai';
import type { ApiKeySource } from '../../../src/agent/models/keys/api-key-source';
import { loadPiAi } from '../../../src/agent/models/pi-ai';
import type { ProviderConfig } from '../../../src/agent/models/provider-config';
import { ModelRegistry } from '../../../src/agent/models/registry';
import { createStreamFn } from '../../../src/agent/models/requests/stream';
import { Emitter } from '../../../src/base/event';
import { ScriptedLlm } from '../../support/scripted-llm';

/** Keys the user typed, as SecretStorage would hold them. */
class TypedKeys implements ApiKeySource {
  readonly keys = new Map<string, string>();
  private readonly changeEmitter = new Emitter<string>();
  readonly onDidChange = this.changeEmitter.event;
  get = (provider: string): Promise<string | undefined> => Promise.resolve(this.keys.get(provider));
  set(provider: string, key: string): Promise<void> {
    this.keys.set(provider, key);
    this.changeEmitter.fire(provider);
    return Promise.resolve();
  }
}

function forgetVariables(isGone: (name: string) => boolean): void {
  for (const name of Object.keys(process.env).filter(isGone)) Reflect.deleteProperty(process.env, name);
}

describe('ModelRegistry', () => {
  const now = 1_000_000_000_000;
  let agentDir: string;
  let typed: TypedKeys;
  let registry: ModelRegistry;
  let savedEnv: NodeJS.ProcessEnv;

  beforeEach(async () => {
    savedEnv = { ...process.env };
    forgetVariables(name => /_API_KEY|_TOKEN|^AWS_|^GOOGLE_/.test(name));
    agentDir = await mkdtemp(join(tmpdir(), 'hookline ägent-'));
    typed = new TypedKeys();
    registry = new ModelRegistry({ agentDir, keys: typed, now: () => now });
  });
  afterEach(async () => {
    registry.dispose();
    forgetVariables(name => !(name in savedEnv));
    Object.assign(process.env, savedEnv);
    await rm(agentDir, { recursive: true, force: true });
  });

  const write = (name: string, content: unknown): Promise<void> =>
    writeFile(join(agentDir, name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  const readAuth = async (): Promise<unknown> => JSON.parse(await readFile(join(agentDir, 'auth.json'), 'utf8'));
  const anyModel = (provider: string): Model<Api> => registry.getAll().find(model => model.provider === provider)!;
  const keyOf = async (provider: string): Promise<string | undefined> => registry.getApiKeyForProvider(provider);

  describe('models', () => {
    it('knows only the demo until it is loaded, then all of pi-ai', async () => {
      assert.deepEqual(
        registry.getAll().map(model => model.id),
        ['offline'],
      );
      await registry.load();
      assert.ok(registry.getAll().length > 100);
      assert.ok(registry.find('anthropic', anyModel('anthropic').id));
      assert.equal(registry.find('demo', 'offline')?.name, 'Demo (offline)');
      assert.equal(registry.find('anthropic', 'no such model'), undefined);
    });

    it('offers only models that could be asked, and the demo where there is no other', async () => {
      await registry.load();
      assert.deepEqual(
        registry.getAvailable().map(model => model.provider),
        ['demo'],
      );
      process.env['GROQ_API_KEY'] = 'env-key';
      assert.deepEqual([...new Set(registry.getAvailable().map(model => model.provider))], ['groq']);
      assert.equal(await registry.hasKey(registry.find('demo', 'offline')!), true, 'by name');
      assert.equal(await registry.hasKey(anyModel('groq')), true);
      assert.equal(await registry.hasKey(anyModel('openai')), false);
    });

    it('changes built-in providers and models as models.json says', async () => {
      const [catalog] = getBuiltinModels('anthropic');
      assert.ok(catalog);
      const { id } = catalog;
      process.env['MY_HEADER'] = 'from-env';
      await write('models.json', {
        providers: {
          anthropic: {
            baseUrl: 'http://proxy.test',
            headers: { 'x-env': '$MY_HEADER', 'x-literal': 'as it is' },
            modelOverrides: {
              [id]: { name: 'Mine', cost: { input: 9 }, compat: { supportsLongCacheRetention: false } },
            },
          },
        },
      });
      await registry.load();
      const model = registry.find('anthropic', id)!;
      assert.equal(model.baseUrl, 'http://proxy.test');
      assert.equal(model.name, 'Mine');
      assert.equal(model.cost.input, 9);
      assert.equal(model.cost.output, catalog.cost.output);
      assert.deepEqual(model.headers, {
        ...catalog.headers,
        'x-env': 'from-env',
        'x-literal': 'as it is',
      });
      assert.deepEqual(model.compat, { ...catalog.compat, supportsLongCacheRetention: false });
      assert.equal(
        registry.getAll().filter(each => each.provider === 'anthropic').length,
        getBuiltinModels('anthropic').length,
      );
    });

    it('takes ids that no list has, with the properties of those that are named alike', async () => {
      await registry.load();
      const [, second] = getBuiltinModels('anthropic');
      assert.ok(second);
      const added = registry.addUnlisted('anthropic', `${second.id}-of-tomorrow`);
      assert.deepEqual(added, { ...second, id: `${second.id}-of-tomorrow`, name: `${second.id}-of-tomorrow` });
      assert.equal(registry.addUnlisted('anthropic', second.id)?.name, second.name, 'one that is listed is that one');
      assert.equal(registry.addUnlisted('nobody', 'x'), undefined);
      await registry.refresh();
      assert.deepEqual(registry.find('anthropic', `${second.id}-of-tomorrow`), added);
    });

    it('asks a provider which models it offers now, and keeps its own list when that fails', async () => {
      const server = createServer((_, response) => response.end('{"data":[{"id":"one"},{"id":"one-more"}]}'));
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const local = { baseUrl, api: 'openai-completions', apiKey: 'k', models: [{ id: 'one', contextWindow: 7000 }] };
      await write('models.json', { providers: { local } });
      await registry.load();
      let fired = 0;
      registry.onDidChange(() => (fired += 1));
      try {
        assert.deepEqual(await registry.askOffered('local'), { all: 2, added: 1 });
        assert.equal(registry.find('local', 'one-more')?.contextWindow, 7000);
        assert.equal(fired, 1);
      } finally {
        server.closeAllConnections();
        await new Promise(resolve => server.close(resolve));
      }
      const before = registry.getAll();
      await assert.rejects(registry.askOffered('local'), /Provider "local" did not tell its models at/);
      await assert.rejects(registry.askOffered('nobody'), /"nobody" is not known/);
      assert.deepEqual(registry.getAll(), before);
    });

    it('adds the models of models.json, reports what is wrong, and sees changes on refresh', async () => {
      const local = { baseUrl: 'http://127.0.0.1:9/v1', api: 'openai-completions', apiKey: 'literal-key' };
      await write('models.json', { providers: { local: { ...local, models: [{ id: 'm' }, { id: 7 }] } } });
      await registry.load();
      const model = registry.find('local', 'm')!;
      assert.deepEqual(
        [model.name, model.contextWindow, model.maxTokens, model.input, model.reasoning],
        ['m', 128_000, 16_384, ['text'], false],
      );
      assert.equal(await registry.getApiKey(model), 'literal-key');
      assert.match(registry.getError()!, /provider "local", model number 2, id/);
      let changes = 0;
      registry.onDidChange(() => (changes += 1));
      await write('models.json', { providers: { local: { ...local, models: [{ id: 'other' }] } } });
      await registry.refresh();
      assert.equal(registry.getError(), undefined);
      assert.equal(registry.find('local', 'm'), undefined);
      assert.ok(registry.find('local', 'other'));
      assert.equal(changes, 1);
    });

    it('lays overrides over what they change, member by member, also over models of its own and of hooks', async () => {
      const tiers = [{ inputTokensAbove: 9, input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }];
      const override = {
        cost: { input: 5, tiers },
        thinkingLevelMap: { high: 'max' },
        inputLimits: { images: { resize: { maxWidth: 7 } } },
        promptCache: { long: 3600 },
        samplingParams: { top_p: 0.5 },
        samplingParamsByThinkingLevel: { high: { temperature: 1 } },
        compat: { chatTemplateKwargs: { b: 2 } },
      };
      const entry = {
        id: 'm',
        reasoning: true,
        inputLimits: { maxRequestBytes: 9, images: { maxPerRequest: 3, resize: { maxHeight: 8 } } },
        promptCache: { short: 300 },
        samplingParams: { top_k: 5 },
        samplingParamsByThinkingLevel: { high: { min_p: 0.1 }, low: { min_p: 0.2 } },
        compat: { thinkingFormat: 'chat-template', chatTemplateKwargs: { a: 1 } },
      };
      const local = { baseUrl: 'http://x/v1', api: 'openai-completions', apiKey: 'k' };
      const modelOverrides = { m: override, hooked: { name: 'Renamed' } };
      await write('models.json', {
        providers: { local: { ...local, models: [entry], modelOverrides }, theirs: { apiKey: 'k', modelOverrides } },
      });
      await registry.load();
      registry.registerProvider('theirs', { ...local, models: [{ id: 'hooked' }] }, 'hook');
      assert.equal(registry.find('theirs', 'hooked')?.name, 'Renamed');
      const { inputLimits, promptCache, samplingParams, samplingParamsByThinkingLevel, compat, cost } = registry.find(
        'local',
        'm',
      ) as Model<Api> & Record<string, unknown>;
      assert.deepEqual(
        { inputLimits, promptCache, samplingParams, samplingParamsByThinkingLevel, compat, cost },
        {
          inputLimits: { maxRequestBytes: 9, images: { maxPerRequest: 3, resize: { maxHeight: 8, maxWidth: 7 } } },
          promptCache: { short: 300, long: 3600 },
          samplingParams: { top_k: 5, top_p: 0.5 },
          samplingParamsByThinkingLevel: { high: { min_p: 0.1, temperature: 1 }, low: { min_p: 0.2 } },
          compat: { thinkingFormat: 'chat-template', chatTemplateKwargs: { a: 1, b: 2 } },
          cost: { input: 5, output: 0, cacheRead: 0, cacheWrite: 0, tiers },
        },
      );
    });

    it('gives a new model of a built-in provider the address and the API of its kin', async () => {
      await write('models.json', { providers: { groq: { models: [{ id: 'brand-new' }] } } });
      await registry.load();
      const kin = registry.getAll().find(model => model.provider === 'groq' && model.id !== 'brand-new')!;
      const { api, baseUrl } = registry.find('groq', 'brand-new')!;
      assert.deepEqual({ api, baseUrl }, { api: kin.api, baseUrl: kin.baseUrl });
      assert.equal(registry.getError(), undefined);
    });

    it('keeps the built-in models when models.json is rubbish', async () => {
      await write('models.json', '{ rubbish');
      await registry.load();
      assert.ok(registry.getAll().length > 100);
      assert.match(registry.getError()!, /models\.json is not JSON[\s\S]*File: /);
    });
  });

  describe('keys', () => {
    it('are taken in the documented order', async () => {
      const configured = { baseUrl: 'http://x', apiKey: 'from-models-json' };
      await registry.load();
      process.env['GROQ_API_KEY'] = 'from-env';
      assert.equal(await keyOf('groq'), 'from-env');
      await write('models.json', { providers: { groq: configured } });
      await registry.refresh();
      assert.equal(await keyOf('groq'), 'from-models-json');
      await write('auth.json', { groq: { type: 'api_key', key: 'from-auth-json' } });
      await registry.refresh();
      assert.equal(await keyOf('groq'), 'from-auth-json');
      await typed.set('groq', 'from-secret-storage');
      assert.equal(await keyOf('groq'), 'from-secret-storage');
      registry.authStorage.setRuntimeApiKey('groq', 'from-runtime');
      assert.equal(await keyOf('groq'), 'from-runtime');
      registry.authStorage.removeRuntimeApiKey('groq');
      assert.equal(await keyOf('groq'), 'from-secret-storage');
    });

    it('make a provider available as soon as they are typed', async () => {
      await registry.load();
      const changed = new Promise<void>(resolve => registry.onDidChange(() => resolve()));
      await typed.set('openai', 'typed');
      await changed;
      assert.ok(registry.getAvailable().some(model => model.provider === 'openai'));
    });

    it('may be the output of a command or name a variable; a bare name is literal, and said to be', async () => {
      process.env['SOME_NAME'] = 'value-of-variable';
      await write('auth.json', {
        openai: { type: 'api_key', key: '!printf "  from-command  "' },
        groq: { type: 'api_key', key: '$SOME_NAME' },
        xai: { type: 'api_key', key: 'SOME_NAME' },
        cerebras: { type: 'api_key', key: '$SOME_NAME', env: { SOME_NAME: 'of the credential' } },
      });
      await write('models.json', {
        providers: { local: { baseUrl: 'x', apiKey: 'SOME_NAME', headers: { 'x-h': 'SOME_NAME', 'x-i': 'OTHER' } } },
      });
      await registry.load();
      assert.deepEqual(await Promise.all(['openai', 'groq', 'xai', 'cerebras', 'local'].map(keyOf)), [
        'from-command',
        'value-of-variable',
        'SOME_NAME',
        'of the credential',
        'SOME_NAME',
      ]);
      const isSaid = (place: string): string =>
        `${place}: "SOME_NAME" is used as it stands, although an environment variable has that name. To use the variable, write "$SOME_NAME".`;
      assert.deepEqual(registry.problems, [
        { message: isSaid('models.json, provider "local", apiKey'), file: join(agentDir, 'models.json') },
        { message: isSaid('models.json, provider "local", header "x-h"'), file: join(agentDir, 'models.json') },
        { message: isSaid('auth.json, provider "xai", key'), file: join(agentDir, 'auth.json') },
      ]);
    });

    it('whose variable is not set are not sent, do not make a model available, and are named', async () => {
      await write('auth.json', { openai: { type: 'api_key', key: 'Bearer ${NO_SUCH_API_KEY}' } });
      await write('models.json', {
        providers: {
          xai: { apiKey: '$NO_SUCH_API_KEY' },
          groq: { apiKey: 'k', headers: { 'x-h': '$NO_SUCH_API_KEY' }, modelOverrides: {} },
        },
      });
      await registry.load();
      const available = new Set(registry.getAvailable().map(({ provider }) => provider));
      assert.deepEqual([...available], ['groq']);
      const missing = /: the environment variable NO_SUCH_API_KEY is not set\./;
      for (const [provider, place] of [
        ['openai', /auth\.json, provider "openai", key/],
        ['xai', /models\.json, provider "xai", apiKey/],
        ['groq', /models\.json, provider "groq", header "x-h"/],
      ] as const) {
        await assert.rejects(registry.requestAuth(anyModel(provider)), ({ message }: Error) => {
          return place.test(message) && missing.test(message);
        });
      }
      assert.equal(anyModel('groq').headers, undefined);
      process.env['OPENAI_API_KEY'] = 'from-env';
      assert.equal(await keyOf('openai'), 'from-env');
    });

    it('of hooks may be the bare name of a variable, as their descriptions promise, or be written as in files', async () => {
      process.env['SOME_NAME'] = 'value-of-variable';
      await registry.load();
      const base = { baseUrl: 'http://x', api: 'openai-completions', models: [{ id: 'm' }] };
      const headers = { 'x-bare': 'SOME_NAME', 'x-dollar': '<$SOME_NAME>' };
      registry.registerProvider('bare', { ...base, apiKey: 'SOME_NAME', headers }, '/hooks/a.ts');
      registry.registerProvider('dollar', { ...base, apiKey: '$SOME_NAME' }, '/hooks/b.ts');
      registry.registerProvider('missing', { ...base, apiKey: '$NO_SUCH_NAME' }, '/hooks/c.ts');
      registry.registerProvider('today', { ...base, apiKey: 'SOME_NAME' }, '/hooks/d.ts', { namesKeysBare: false });
      assert.equal(await keyOf('today'), 'SOME_NAME');
      assert.deepEqual(await registry.requestAuth(anyModel('bare')), {
        apiKey: 'value-of-variable',
        headers: { 'x-bare': 'value-of-variable', 'x-dollar': '<value-of-variable>' },
      });
      assert.equal(await keyOf('dollar'), 'value-of-variable');
      await assert.rejects(
        registry.requestAuth(anyModel('missing')),
        /provider "missing" of \/hooks\/c\.ts, apiKey: the environment variable NO_SUCH_NAME is not set/,
      );
      assert.deepEqual(registry.problems, []);
    });

    it('whose command fails are reported by the command, and the next source is asked', async () => {
      await write('auth.json', { openai: { type: 'api_key', key: '!exit 3' } });
      await registry.load();
      const model = anyModel('openai');
      assert.equal(await registry.getApiKey(model), undefined);
      await assert.rejects(registry.requestAuth(model), /provider "openai".*"exit 3" failed with exit code 3/);
      process.env['OPENAI_API_KEY'] = 'from-env';
      assert.equal(await registry.getApiKey(model), 'from-env');
    });

    it('run their command once, and again after a refresh', async () => {
      const counter = join(agentDir, 'count');
      await write('auth.json', { openai: { type: 'api_key', key: `!echo x >> "${counter}"; wc -l < "${counter}"` } });
      await registry.load();
      await Promise.all([keyOf('openai'), keyOf('openai')]);
      assert.equal(await keyOf('openai'), '1');
      await registry.refresh();
      assert.equal(await keyOf('openai'), '2');
    });

    it('of models.json run their command for each request, as such keys may be short-lived', async () => {
      const counter = join(agentDir, 'count');
      const command = `!echo x >> "${counter}"; wc -l < "${counter}"`;
      await write('models.json', { providers: { openai: { apiKey: command } } });
      await registry.load();
      assert.deepEqual([await keyOf('openai'), await keyOf('openai')], ['1', '2']);
    });

    it('are not read from an auth.json that is rubbish, which is left alone', async () => {
      await write('auth.json', '{"openai": {"type": "api_key", "key": "sk-secret"');
      await registry.load();
      assert.equal(await keyOf('openai'), undefined);
      assert.match(registry.problems[0]!.message, /auth\.json does not hold a JSON object/);
      assert.ok(!registry.problems[0]!.message.includes('secret'));
      await assert.rejects(registry.authStorage.logout('openai'));
      assert.match(await readFile(join(agentDir, 'auth.json'), 'utf8'), /sk-secret/);
    });

    it('of an entry that is wrong are reported by provider and field; the others count', async () => {
      await write('auth.json', { openai: { type: 'api_key' }, groq: { type: 'api_key', key: 'good' } });
      await registry.load();
      assert.match(registry.problems[0]!.message, /auth\.json, provider "openai": key/);
      assert.equal(await keyOf('groq'), 'good');
    });

    it('of a kind that nobody knows yet are named, left alone, and stop nothing', async () => {
      const auth = { openai: { type: 'passkey', id: 7 }, groq: { type: 'api_key', key: 'good' } };
      await write('auth.json', `\uFEFF${JSON.stringify(auth)}`);
      await registry.load();
      assert.deepEqual(
        registry.problems.map(({ message }) => message),
        ['auth.json, provider "openai": credentials of type "passkey" are not known here; they are left as they are.'],
      );
      assert.equal(await keyOf('groq'), 'good');
      await registry.authStorage.logout('openai');
      assert.match(await readFile(join(agentDir, 'auth.json'), 'utf8'), /"passkey","id":7/);
    });

    it('cannot be written to auth.json by hooks', async () => {
      await registry.load();
      assert.throws(() => registry.authStorage.set('openai'), /Set API Key/);
      assert.deepEqual(await readdir(agentDir), []);
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
        login: () => Promise.resolve({ ...tokens('new', now + 3_600_000), account: 'me' }),
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
      answer = () => Promise.resolve(tokens('renewed', now + 3_600_000));
      await registry.load();
      registry.registerProvider('acme', withLogin(), 'hook-1');
    });

    const other = { groq: { type: 'api_key', key: 'k' }, odd: [1, { two: 3 }] };

    it('are used while they last', async () => {
      await write('auth.json', { acme: { type: 'oauth', ...tokens('fresh', now + 3_600_000) } });
      await registry.refresh();
      assert.equal(await keyOf('acme'), 'key-fresh');
      assert.equal(registry.isUsingOAuth({ provider: 'acme' }), true);
      assert.equal(registry.find('acme', 'm')?.baseUrl, 'http://mine');
      assert.deepEqual(renewals, []);
    });

    it('are renewed once when they expired, and only they are written, with mode 0600', async () => {
      await write('auth.json', { ...other, acme: { type: 'oauth', ...tokens('old', now - 1), account: 'me' } });
      await registry.refresh();
      const keys = await Promise.all([keyOf('acme'), keyOf('acme'), keyOf('acme')]);
      assert.deepEqual(keys, ['key-renewed', 'key-renewed', 'key-renewed']);
      assert.deepEqual(renewals, ['r-old']);
      assert.deepEqual(await readAuth(), {
        ...other,
        acme: { type: 'oauth', ...tokens('renewed', now + 3_600_000), account: 'me' },
      });
      assert.deepEqual(await readdir(agentDir), ['auth.json'], 'no temporary file, no lock');
      if (process.platform !== 'win32') assert.equal((await stat(join(agentDir, 'auth.json'))).mode & 0o777, 0o600);
    });

    it('that another process renewed meanwhile are taken from the file', async () => {
      await write('auth.json', { acme: { type: 'oauth', ...tokens('old', now - 1) } });
      await registry.refresh();
      await write('auth.json', { acme: { type: 'oauth', ...tokens('theirs', now + 3_600_000) } });
      assert.equal(await keyOf('acme'), 'key-theirs');
      assert.deepEqual(renewals, []);
    });

    it('that cannot be renewed say so and stay', async () => {
      answer = () => Promise.reject(new Error('invalid_grant'));
      const before = { acme: { type: 'oauth', ...tokens('old', now - 1) } };
      await write('auth.json', before);
      await registry.refresh();
      await assert.rejects(
        registry.requestAuth(anyModel('acme')),
        /The login for "acme" has expired and could not be renewed \(invalid_grant\)\. To log in again, run "Hookline: Log In…"\./,
      );
      assert.deepEqual(await readAuth(), before);
    });

    it('are saved by login and removed by logout; keys stay', async () => {
      await write('auth.json', other);
      await registry.refresh();
      const callbacks = { onAuth: () => undefined, onPrompt: () => Promise.resolve('') };
      await registry.authStorage.login('acme', callbacks);
      assert.deepEqual(await readAuth(), {
        ...other,
        acme: { type: 'oauth', ...tokens('new', now + 3_600_000), account: 'me' },
      });
      assert.equal(await keyOf('acme'), 'key-new');
      await registry.authStorage.logout('acme');
      await registry.authStorage.logout('groq');
      assert.deepEqual(await readAuth(), other);
      await assert.rejects(registry.authStorage.login('nobody', callbacks), /"nobody" has no login/);
    });

    it('of pi-ai are offered too', () => {
      const ids = registry.authStorage.getOAuthProviders().map(({ id }) => id);
      assert.ok(ids.includes('acme') && ids.includes('anthropic') && ids.includes('github-copilot'));
    });
  });

  describe('registered providers', () => {
    it('replace models, override addresses, and go with their source', async () => {
      await registry.load();
      const before = registry.getAll().filter(model => model.provider === 'groq');
      registry.registerProvider(
        'groq',
        { baseUrl: 'http://x', apiKey: 'k', api: 'openai-completions', models: [{ id: 'only' }] },
        'a',
      );
      assert.deepEqual(
        registry
          .getAll()
          .filter(model => model.provider === 'groq')
          .map(model => model.id),
        ['only'],
      );
      assert.equal(await keyOf('groq'), 'k');
      registry.registerProvider('xai', { baseUrl: 'http://proxy' }, 'a');
      assert.ok(
        registry
          .getAll()
          .filter(model => model.provider === 'xai')
          .every(model => model.baseUrl === 'http://proxy'),
      );
      await registry.refresh();
      assert.ok(registry.find('groq', 'only'), 'a refresh keeps them');
      registry.unregisterSource('a');
      assert.deepEqual(
        registry.getAll().filter(model => model.provider === 'groq'),
        before,
      );
      assert.equal(await keyOf('groq'), undefined);
    });

    it('count when registered before the registry was loaded', async () => {
      registry.registerProvider('early', {
        baseUrl: 'http://x',
        apiKey: 'k',
        api: 'openai-completions',
        models: [{ id: 'm' }],
      });
      await registry.load();
      assert.ok(registry.find('early', 'm'));
      registry.unregisterProvider('early');
      assert.equal(registry.find('early', 'm'), undefined);
    });

    it('that are wrong are refused with a text and change nothing', async () => {
      await registry.load();
      const wrong: readonly (readonly [unknown, RegExp])[] = [
        [null, /Provider "bad": the configuration must be an object/],
        [{ streamSimple: () => undefined }, /Provider "bad": "api" is required with streamSimple/],
        [{ models: [{ id: 'm' }] }, /Provider "bad": "baseUrl" is required/],
        [{ baseUrl: 'x', models: [{ id: 'm' }] }, /model "m": no "api"/],
        [{ baseUrl: 'x', api: 'y', models: [{ name: 'm' }] }, /model number 1: id/],
        [{ baseUrl: 7 }, /Provider "bad": baseUrl/],
      ];
      const before = registry.getAll();
      for (const [config, expected] of wrong) {
        assert.throws(() => registry.registerProvider('bad', config as ProviderConfig), expected);
      }
      assert.deepEqual(registry.getAll(), before);
    });

    it('get prompt and tools beside the messages, or as system messages where they take these', async () => {
      const piAi = await loadPiAi();
      await registry.load();
      const seen: Context[] = [];
      const streamSimple: ProviderConfig['streamSimple'] = (model, context) => {
        seen.push(context);
        const stream = piAi.createAssistantMessageEventStream();
        stream.push({ type: 'done', reason: 'stop', message: piAi.fauxAssistantMessage(model.id) });
        return stream;
      };
      const tool = { name: 'look', description: 'looks', parameters: Type.Object({}) };
      const user = { role: 'user' as const, content: 'hi', timestamp: 1 };
      for (const takes of [false, true]) {
        registry.registerProvider('own', { api: 'own-api', streamSimple, models: [{ id: 'm' }] }, 'a', {
          takesSystemMessages: () => takes,
        });
        const context = { systemPrompt: 'be kind', messages: [user], tools: [tool] };
        await createStreamFn(registry)(registry.find('own', 'm')!, context).result();
      }
      const head = { role: 'system', content: 'be kind', toolsAdded: [tool], timestamp: 0 };
      assert.deepEqual(seen, [
        { systemPrompt: 'be kind', messages: [user], tools: [tool] },
        { messages: [head, user] },
      ]);
    });

    it('may stream by themselves, need no key then, and give back an API they covered', async () => {
      const piAi = await loadPiAi();
      await registry.load();
      const builtIn = piAi.getApiProvider('anthropic-messages');
      const streamSimple: ProviderConfig['streamSimple'] = model => {
        const stream = piAi.createAssistantMessageEventStream();
        const message = { ...piAi.fauxAssistantMessage('from the hook'), provider: model.provider };
        stream.push({ type: 'done', reason: 'stop', message });
        return stream;
      };
      registry.registerProvider('own', { api: 'anthropic-messages', streamSimple, models: [{ id: 'm' }] }, 'a');
      registry.registerProvider('own2', { api: 'own-api', streamSimple, models: [{ id: 'm' }] }, 'b');
      const stream = createStreamFn(registry);
      for (const provider of ['own', 'own2']) {
        assert.equal(await registry.hasKey(registry.find(provider, 'm')!), true);
        const message = await stream(registry.find(provider, 'm')!, { messages: [] }).result();
        assert.deepEqual(message.content, [{ type: 'text', text: 'from the hook' }]);
      }
      registry.unregisterSource('a');
      registry.unregisterSource('b');
      assert.equal(piAi.getApiProvider('own-api'), undefined);
      assert.notEqual(piAi.getApiProvider('anthropic-messages'), undefined);
      const llm = await ScriptedLlm.start();
      try {
        llm.reply({ text: 'from the server' });
        registry.authStorage.setRuntimeApiKey('scripted', 'k');
        const message = await stream(llm.model(), { messages: [] }).result();
        assert.deepEqual(
          message.content.map(block => block.type === 'text' && block.text),
          ['from the server'],
        );
      } finally {
        await llm.stop();
      }
      assert.ok(builtIn);
    });
  });

  it('gives requests their key and headers, over the wire', async () => {
    const llm = await ScriptedLlm.start();
    try {
      await write('models.json', {
        providers: {
          local: {
            baseUrl: llm.model('openai-completions').baseUrl,
            api: 'openai-completions',
            apiKey: '!printf secret',
            authHeader: true,
            headers: { 'x-command': '!printf told' },
            models: [{ id: 'm', headers: { 'x-model': 'own' } }],
          },
        },
      });
      await registry.load();
      llm.reply({ text: 'ok' });
      const message = await createStreamFn(registry)(registry.find('local', 'm')!, { messages: [] }).result();
      assert.equal(message.stopReason, 'stop', message.errorMessage);
      const headers = llm.requests.map(request => request.headers);
      assert.deepEqual(
        headers.map(sent => [sent['authorization'], sent['x-command'], sent['x-model']]),
        [['Bearer secret', 'told', 'own']],
      );
    } finally {
      await llm.stop();
    }
  });

  it('gives requests what the credential says of the provider, and what the thinking level adds', async () => {
    const llm = await ScriptedLlm.start();
    try {
      const { baseUrl } = llm.model('azure-openai-responses');
      const env = { AZURE_OPENAI_BASE_URL: baseUrl, AZURE_OPENAI_API_VERSION: 'v7', MY_KEY: 'of the credential' };
      await write('auth.json', { azure: { type: 'api_key', key: '$MY_KEY', env } });
      const byLevel = { off: { top_k: 1 }, high: { top_k: 2, seed: 3 } };
      await write('models.json', {
        providers: {
          local: {
            baseUrl: llm.model('openai-completions').baseUrl,
            api: 'openai-completions',
            apiKey: 'k',
            models: [
              { id: 'm', reasoning: true, samplingParams: { top_p: 0.5 }, samplingParamsByThinkingLevel: byLevel },
            ],
          },
        },
      });
      await registry.load();
      llm.otherwise(() => ({ text: 'ok' }));
      const stream = createStreamFn(registry);
      const azure = registry.getAll().find(model => model.provider === 'azure-openai-responses')!;
      assert.equal(registry.find('azure', azure.id), azure);
      const answer = await stream(azure, { messages: [] }).result();
      assert.equal(answer.stopReason, 'stop', answer.errorMessage);
      assert.equal(llm.requests[0]?.headers['api-key'], 'of the credential');
      for (const reasoning of [undefined, 'high'] as const) {
        await stream(registry.find('local', 'm')!, { messages: [] }, reasoning && { reasoning }).result();
      }
      assert.deepEqual(
        llm.requests.slice(1).map(({ body }) => [body['top_p'], body['top_k'], body['seed']]),
        [
          [0.5, 1, undefined],
          [0.5, 2, 3],
        ],
      );
    } finally {
      await llm.stop();
    }
  });

  it('serves hooks that call models by themselves', async () => {
    const llm = await ScriptedLlm.start();
    try {
      process.env['GROQ_API_KEY'] = 'from-env';
      await write('auth.json', { openai: { type: 'api_key', key: 'k', env: { OPENAI_REGION: 'eu' } } });
      await write('models.json', {
        providers: {
          local: {
            name: 'Mine',
            baseUrl: llm.model('openai-completions').baseUrl,
            api: 'openai-completions',
            apiKey: '!printf secret',
            headers: { 'x-h': 'value' },
            models: [{ id: 'm' }],
          },
          broken: { baseUrl: 'http://x', api: 'openai-completions', apiKey: '$NO_SUCH_API_KEY', models: [{ id: 'm' }] },
          xai: { apiKey: 'literal' },
        },
      });
      await registry.load();
      const model = registry.find('local', 'm')!;
      const auth = { apiKey: 'secret', headers: { 'x-h': 'value' } };
      assert.deepEqual(await registry.getApiKeyAndHeaders(model), { ok: true, ...auth });
      assert.deepEqual(await registry.getApiKeyAndHeaders(anyModel('openai')), {
        ok: true,
        apiKey: 'k',
        env: { OPENAI_REGION: 'eu' },
      });
      assert.deepEqual(await registry.getProviderAuth('local'), { auth });
      assert.equal(await registry.getProviderAuth('nobody'), undefined);
      const failed = await registry.getApiKeyAndHeaders(anyModel('broken'));
      assert.match(failed.ok ? '' : failed.error, /models\.json, provider "broken", apiKey: .*NO_SUCH_API_KEY/);
      registry.authStorage.setRuntimeApiKey('mistral', 'k');
      assert.deepEqual(
        ['mistral', 'openai', 'local', 'xai', 'groq', 'broken', 'nobody'].map(name =>
          registry.getProviderAuthStatus(name),
        ),
        [
          { configured: true, source: 'runtime' },
          { configured: true, source: 'stored' },
          { configured: true, source: 'models_json_command' },
          { configured: true, source: 'models_json_key' },
          { configured: true, source: 'environment', label: 'GROQ_API_KEY' },
          { configured: false },
          { configured: false },
        ],
      );
      assert.deepEqual(
        ['local', 'nobody'].map(name => registry.getProviderDisplayName(name)),
        ['Mine', 'nobody'],
      );
      assert.deepEqual(registry.getProvider('local')?.getModels(), [model]);
      assert.equal(registry.getProvider('nobody'), undefined);
      llm.reply({ text: 'completed' });
      const { content } = await registry.complete(model, { messages: [{ role: 'user', content: 'q', timestamp: 1 }] });
      assert.deepEqual(content, [{ type: 'text', text: 'completed' }]);
      assert.equal(llm.requests[0]?.headers['authorization'], 'Bearer secret');
      llm.reply({ text: 'thought over' });
      const thinking = { ...model, reasoning: true };
      await registry.complete(thinking, { messages: [] }, { reasoningEffort: 'high' });
      assert.equal((llm.requests[1]?.body as { reasoning_effort?: string }).reasoning_effort, 'high');
    } finally {
      await llm.stop();
    }
  });

  it('tells which key is missing, and streams the demo without any', async () => {
    await registry.load();
    const stream = createStreamFn(registry);
    const message = await stream(anyModel('openai'), { messages: [] }).result();
    assert.match(message.errorMessage!, /No API key for provider "openai".*OPENAI_API_KEY/);
    const demo = await stream(registry.find('demo', 'offline')!, {
      messages: [{ role: 'user', content: 'hi', timestamp: 1 }],
    }).result();
    assert.equal(demo.stopReason, 'stop');
  });
});
