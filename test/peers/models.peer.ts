import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { builtinProviders, getBuiltinProviders } from '@mariozechner/pi-ai/providers/all';
import { inOrderOfDefaults } from '../../src/agent/models/choice/default-models';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, importPeer, piToday, TODAY } from './peers';

/** What a models.json and an auth.json make of a request: its key, its own header, and members of its body. */
interface Sent {
  /** Names of headers that tell the session. */
  readonly session: readonly string[];
  readonly authorization: unknown;
  readonly header: unknown;
  readonly roles: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request holds beside its settings. */
const TEXTS = ['messages', 'input', 'tools'];
const THINKS = { id: 'm', reasoning: true, maxTokens: 1000 };
const TEMPLATE = {
  thinkingFormat: 'chat-template',
  chatTemplateKwargs: { enable_thinking: { $var: 'thinking.enabled' } },
};

interface Case {
  readonly provider?: object;
  readonly model?: object;
  readonly auth?: object;
  readonly env?: Readonly<Record<string, string>>;
}

const CASES: Readonly<Record<string, Case>> = {
  'a literal key': { provider: { apiKey: 'literal' } },
  'a bare name': { provider: { apiKey: 'PEER_KEY', headers: { 'x-h': 'PEER_KEY' } } },
  $NAME: { provider: { apiKey: '$PEER_KEY', headers: { 'x-h': 'a $PEER_KEY' } } },
  '${NAME} within a text': { provider: { apiKey: '<${PEER_KEY}>', headers: { 'x-h': '${PEER_KEY}b' } } },
  escapes: { provider: { apiKey: '$$PEER_KEY$!x', headers: { 'x-h': '$!a$' } } },
  'a command': { provider: { apiKey: '!printf made', headers: { 'x-h': '!printf head' } } },
  'a header of the model': { provider: { headers: { 'x-h': 'provider' } }, model: { headers: { 'x-h': 'model' } } },
  'a header of an override': { provider: { modelOverrides: { m: { headers: { 'x-h': '$PEER_KEY' } } } } },
  'auth.json before models.json': { auth: { type: 'api_key', key: '$PEER_KEY' } },
  'env of the credential': {
    provider: { headers: { 'x-h': '$PEER_KEY' } },
    auth: { type: 'api_key', key: '$OWN', env: { OWN: 'own', PEER_KEY: 'of the credential' } },
  },
  samplingParams: { model: { samplingParams: { top_p: 0.5, top_k: 9 } } },
  'samplingParams of a level': {
    model: {
      samplingParams: { top_p: 0.5 },
      samplingParamsByThinkingLevel: { high: { top_p: 0.1 }, low: { top_k: 1 } },
    },
  },
  'an override over the own model': {
    provider: { modelOverrides: { m: { maxTokens: 77, samplingParams: { top_k: 3 } } } },
    model: { samplingParams: { top_p: 0.5 } },
  },
  'a chat template': { model: { compat: TEMPLATE } },
  'what a level is called': {
    model: { thinkingLevelMap: { high: 'most' }, compat: { supportsReasoningEffort: true } },
  },
  'nothing but an id': { model: { reasoning: undefined, maxTokens: undefined } },
  'authHeader of a provider': { provider: { authHeader: true } },
  'a model that cannot think': { model: { reasoning: false } },
  'a level that is off': { model: { thinkingLevelMap: { high: null } } },
  ...Object.fromEntries(
    [
      ...['openai', 'openrouter', 'deepseek', 'together', 'baseten', 'zai', 'qwen', 'qwen-chat-template'],
      ...['string-thinking', 'ant-ling'],
    ].map(thinkingFormat => [`thinking in the form of ${thinkingFormat}`, { model: { compat: { thinkingFormat } } }]),
  ),
  ...Object.fromEntries(
    [
      ...['supportsStore', 'supportsDeveloperRole', 'supportsReasoningEffort', 'supportsUsageInStreaming'],
      ...['supportsStrictMode', 'supportsThinkingTokenBudget', 'zaiToolStream', 'supportsLongCacheRetention'],
    ].flatMap(name =>
      [true, false].map(value => [`${name}: ${value}`, { provider: { compat: { [name]: value } } }] as const),
    ),
  ),
  'the field of the thinking budget': {
    model: { compat: { thinkingTokenBudgetField: 'thinking_budget' }, maxTokens: 20_000 },
  },
  ...Object.fromEntries(
    ['auto', 'enabled', 'disabled'].map(promptCacheKeyMode => [
      `a key for the cache of prompts: ${promptCacheKeyMode}`,
      { provider: { compat: { promptCacheKeyMode } } },
    ]),
  ),
  ...Object.fromEntries(
    ['auto', 'disabled'].map(promptCacheKeyMode => [
      `a key for the cache of prompts in the other API: ${promptCacheKeyMode}`,
      {
        provider: {
          api: 'openai-responses',
          compat: { promptCacheKeyMode, sessionAffinityFormat: 'openai-nosession' },
        },
      },
    ]),
  ),
  ...Object.fromEntries(
    ['openai', 'openai-nosession', 'openrouter'].map(sessionAffinityFormat => [
      `headers of the session for ${sessionAffinityFormat}`,
      { provider: { compat: { sessionAffinityFormat } } },
    ]),
  ),
  'a key for the cache of prompts, with a long cache': {
    provider: { compat: { promptCacheKeyMode: 'auto', supportsLongCacheRetention: true } },
    env: { PI_CACHE_RETENTION: 'long' },
  },
  'a long cache by the environment': { env: { PI_CACHE_RETENTION: 'long' } },
  'no cache by the environment': { env: { PI_CACHE_RETENTION: 'none' } },
  'limits of inputs and a cache': {
    model: {
      input: ['text', 'image'],
      inputLimits: { image: { maxPerRequest: 1 } },
      promptCache: { short: 300, long: 3600 },
    },
  },
  'a priority': { model: { compat: { vllmPriority: 5 } } },
  'the field of the token limit': { provider: { compat: { maxTokensField: 'max_tokens' } } },
};

/** Each case has a provider of its own. */
const NAMES = Object.keys(CASES);
const providerOf = (name: string): string => `local${NAMES.indexOf(name)}`;

/** What cases add to the environment, as JSON: one process each runs them. */
const environmentOf = (name: string): string => JSON.stringify(CASES[name]?.env ?? {});
const ENVIRONMENTS = new Set(NAMES.map(environmentOf));

describePeer('models.json and keys beside those of today', TODAY, folder => {
  const sides = new Map<'pi' | 'ours', ReadonlyMap<string, Sent>>();

  before(async function () {
    this.timeout(240_000);
    const place = await CliPlace.make();
    const llm = await ScriptedLlm.start();
    llm.otherwise(() => ({ text: 'an answer' }));
    try {
      writeCases(place, llm);
      sides.set('pi', await sentBy(place, llm, piToday(folder)));
      sides.set('ours', await sentBy(place, llm, {}));
    } finally {
      await place.remove();
      await llm.stop();
    }
  });

  for (const name of NAMES) {
    it(`send the same for ${name}`, () => {
      const [ours, pi] = [sides.get('ours')?.get(name), sides.get('pi')?.get(name)];
      assert.ok(ours !== undefined && pi !== undefined);
      assert.deepEqual(ours, pi);
    });
  }
});

function writeCases(place: CliPlace, llm: ScriptedLlm): void {
  const { baseUrl } = llm.model('openai-completions');
  const cases = Object.entries(CASES).map(([name, { provider, model, auth }]) => ({
    id: providerOf(name),
    provider: { baseUrl, api: 'openai-completions', apiKey: 'k', ...provider, models: [{ ...THINKS, ...model }] },
    auth,
  }));
  const providers = Object.fromEntries(cases.map(({ id, provider }) => [id, provider]));
  const keys = Object.fromEntries(cases.flatMap(({ id, auth }) => (auth === undefined ? [] : [[id, auth]])));
  place.file('agent/models.json', JSON.stringify({ providers }));
  place.file('agent/auth.json', JSON.stringify(keys));
}

/** What one program sends in each case, asked in a new session each time. */
async function sentBy(place: CliPlace, llm: ScriptedLlm, program: Program): Promise<ReadonlyMap<string, Sent>> {
  const sent = new Map<string, Sent>();
  for (const environment of ENVIRONMENTS) {
    const more = JSON.parse(environment) as NonNullable<Case['env']>;
    const host = RpcHost.start(place, ['--no-session'], {
      ...program,
      env: { ...program.env, PEER_KEY: 'of the environment', ...more },
    });
    for (const name of NAMES.filter(each => environmentOf(each) === environment)) {
      await host.data('new_session');
      await host.data('set_model', { provider: providerOf(name), modelId: 'm' });
      await host.data('set_thinking_level', { level: 'high' });
      const before = llm.requests.length;
      await host.prompt('a question');
      assert.equal(llm.requests.length, before + 1, name);
      sent.set(name, lastSent(llm));
    }
    await host.close();
  }
  return sent;
}

function lastSent(llm: ScriptedLlm): Sent {
  const request = llm.requests.at(-1);
  const body = Object.fromEntries(Object.entries(request?.body ?? {}).filter(([name]) => !TEXTS.includes(name)));
  const { messages = [] } = (request?.body ?? {}) as { messages?: readonly { readonly role: string }[] };
  // Each session has a key of its own.
  if (typeof body['prompt_cache_key'] === 'string') body['prompt_cache_key'] = 'of the session';
  return {
    session: Object.keys(request?.headers ?? {})
      .filter(name => /session|client-request/.test(name))
      .sort(),
    authorization: request?.headers['authorization'],
    header: request?.headers['x-h'],
    roles: messages.map(({ role }) => role),
    body,
  };
}

type Models = readonly Model<Api>[];

/** What some providers need beside a key. */
const BESIDE_KEYS = { CLOUDFLARE_ACCOUNT_ID: 'account', CLOUDFLARE_GATEWAY_ID: 'gateway' };

/** An auth.json with a key or a login for each provider. */
function keysOfAll(): string {
  const login = { type: 'oauth', access: 'a', refresh: 'r', expires: Date.now() + 86_400_000, accountId: 'x' };
  const keys = builtinProviders().map(({ id, auth }) => [id, auth.apiKey ? { type: 'api_key', key: 'k' } : login]);
  return JSON.stringify(Object.fromEntries(keys));
}

/** What is used of the choice of a model in pi. */
interface PeerChoice {
  readonly findInitialModel: (options: {
    readonly scopedModels: readonly unknown[];
    readonly isContinuing: boolean;
    readonly modelRuntime: { getAvailableSnapshot(): Models };
  }) => Promise<{ readonly model: Model<Api> | undefined }>;
}

describePeer('the list of models beside that of today', TODAY, folder => {
  const sides = new Map<'pi' | 'ours', { readonly models: Models; readonly first: unknown }>();

  /** All models that can be used with a key for each provider. RPC mode tells all of them; pi cuts long lists of the command line. */
  before(async function () {
    this.timeout(120_000);
    const place = await CliPlace.make();
    try {
      place.file('agent/auth.json', keysOfAll());
      for (const [side, program] of [
        ['pi', piToday(folder)],
        ['ours', {}],
      ] as const) {
        const withAll = { ...program, env: { ...program.env, ...BESIDE_KEYS, PI_OFFLINE: '1' } };
        const host = RpcHost.start(place, ['--no-session'], withAll);
        const { models } = await host.data<{ readonly models: Models }>('get_available_models');
        const { model } = await host.data<{ readonly model: Model<Api> }>('get_state');
        await host.close();
        sides.set(side, { models, first: [model.provider, model.id] });
      }
    } finally {
      await place.remove();
    }
  });

  const listed = (side: 'pi' | 'ours', provider: string): Models =>
    (sides.get(side)?.models ?? [])
      .filter(model => model.provider === provider)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));

  for (const provider of getBuiltinProviders()) {
    it(`has the same models of ${provider}, with the same sizes, prices and levels`, () => {
      assert.deepEqual(listed('ours', provider), listed('pi', provider));
    });
  }

  it('has models of no other provider', () => {
    const providers = new Set<string>(getBuiltinProviders());
    for (const { models } of sides.values()) {
      assert.ok(models.length > 1000);
      assert.deepEqual(
        models.filter(({ provider }) => !providers.has(provider)),
        [],
      );
    }
  });

  it('begins with the same model', async () => {
    const { findInitialModel } = await importPeer<PeerChoice>(folder, 'core/model-resolver.js');
    const all = sides.get('pi')?.models ?? [];
    const beginning = async (models: Models): Promise<readonly unknown[]> => {
      const modelRuntime = { getAvailableSnapshot: () => models };
      const { model } = await findInitialModel({ scopedModels: [], isContinuing: false, modelRuntime });
      return [model?.provider, model?.id];
    };
    assert.deepEqual(sides.get('ours')?.first, sides.get('pi')?.first);
    assert.deepEqual(sides.get('ours')?.first, await beginning(all));
    // Where a key is known for one provider alone, and then for all but those before it.
    const left = [...all];
    while (left.length > 0) {
      const [provider, id] = await beginning(left);
      const own = left.filter(model => model.provider === provider);
      for (const models of [left, own]) {
        const ours = inOrderOfDefaults(models)[0];
        assert.deepEqual([ours?.provider, ours?.id], [provider, id]);
      }
      left.splice(0, left.length, ...left.filter(model => model.provider !== provider));
    }
  });
});
