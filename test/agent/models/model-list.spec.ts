import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getBuiltinModels } from '@mariozechner/pi-ai/providers/all';
import type { Api, Model } from '@mariozechner/pi-ai';
import { loadPiAi, type PiAi } from '../../../src/agent/models/pi-ai';
import { ModelRegistry } from '../../../src/agent/models/registry';
import { demoModel } from '../../../src/demo-model/demo-model';
import { RegistryRig } from '../../support/registry-rig';

describe('ModelRegistry', () => {
  let rig: RegistryRig;

  beforeEach(async () => {
    rig = await RegistryRig.open();
  });
  afterEach(() => rig.close());

  describe('models', () => {
    it('knows only the demo until it is loaded, then all of pi-ai', async () => {
      assert.deepEqual(
        rig.registry.getAll().map(model => model.id),
        ['offline'],
      );
      await rig.registry.load();
      assert.ok(rig.registry.getAll().length > 100);
      assert.ok(rig.registry.find('anthropic', rig.anyModel('anthropic').id));
      assert.equal(rig.registry.find('demo', 'offline')?.name, 'Demo (offline)');
      assert.equal(rig.registry.find('anthropic', 'no such model'), undefined);
    });

    it('offers only models that could be asked, and the demo where there is no other', async () => {
      await rig.registry.load();
      assert.deepEqual(
        rig.registry.getAvailable().map(model => model.provider),
        ['demo'],
      );
      process.env['GROQ_API_KEY'] = 'env-key';
      assert.deepEqual([...new Set(rig.registry.getAvailable().map(model => model.provider))], ['groq']);
      assert.equal(await rig.registry.hasKey(rig.registry.find('demo', 'offline')!), true, 'by name');
      assert.equal(await rig.registry.hasKey(rig.anyModel('groq')), true);
      assert.equal(await rig.registry.hasKey(rig.anyModel('openai')), false);
    });

    it('looks for the key of a provider once, however many models it has', async () => {
      const lookups = new Map<string, number>();
      const load = async (): Promise<PiAi> => ({
        ...(await loadPiAi()),
        getEnvApiKey: provider => {
          lookups.set(provider, (lookups.get(provider) ?? 0) + 1);
          return provider === 'groq' ? 'env-key' : undefined;
        },
      });
      const { agentDir, typed: keys } = rig;
      const registry = new ModelRegistry({ agentDir, embedded: demoModel(), keys, load });
      try {
        await registry.load();
        const others = new Set(registry.getAll().map(({ provider }) => provider));
        others.delete('demo'); // It needs no key.
        assert.ok(registry.getAll().length > 2 * others.size);
        for (const available of [() => registry.getAvailable(), () => registry.getAvailableOfType('chat')]) {
          lookups.clear();
          assert.ok((await available()).filter(({ provider }) => provider === 'groq').length > 1);
          assert.deepEqual(lookups, new Map([...others].map(provider => [provider, 1])));
        }
      } finally {
        registry.dispose();
      }
    });

    it('changes built-in providers and models as models.json says', async () => {
      const [catalog] = getBuiltinModels('anthropic');
      assert.ok(catalog);
      const { id } = catalog;
      process.env['MY_HEADER'] = 'from-env';
      await rig.write('models.json', {
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
      await rig.registry.load();
      const model = rig.registry.find('anthropic', id)!;
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
        rig.registry.getAll().filter(each => each.provider === 'anthropic').length,
        getBuiltinModels('anthropic').length,
      );
    });

    it('takes ids that no list has, with the properties of those that are named alike', async () => {
      await rig.registry.load();
      const [, second] = getBuiltinModels('anthropic');
      assert.ok(second);
      const added = rig.registry.addUnlisted('anthropic', `${second.id}-of-tomorrow`);
      assert.deepEqual(added, { ...second, id: `${second.id}-of-tomorrow`, name: `${second.id}-of-tomorrow` });
      assert.equal(
        rig.registry.addUnlisted('anthropic', second.id)?.name,
        second.name,
        'one that is listed is that one',
      );
      assert.equal(rig.registry.addUnlisted('nobody', 'x'), undefined);
      await rig.registry.reload();
      assert.deepEqual(rig.registry.find('anthropic', `${second.id}-of-tomorrow`), added);
    });

    it('asks such a model where its provider is now, and sends a new key to no former address', async () => {
      const at = (host: string, id: string): object => {
        const models = [{ id }];
        return {
          providers: { moved: { baseUrl: `http://${host}/v1`, api: 'openai-completions', apiKey: host, models } },
        };
      };
      await rig.write('models.json', at('old.test', 'listed'));
      await rig.registry.load();
      const { registry } = rig;
      const [listed, own] = [registry.find('moved', 'listed')!, registry.addUnlisted('moved', 'own')!];
      assert.equal((await registry.requestAuth(listed)).apiKey, 'old.test');
      await rig.write('models.json', at('new.test', 'other'));
      await registry.reload();
      for (const gone of [listed, own]) {
        await assert.rejects(registry.requestAuth(gone), /is not offered at http:\/\/old\.test\/v1 any more/);
      }
      assert.equal(registry.find('moved', 'own')?.baseUrl, 'http://new.test/v1');
      for (const now of [registry.find('moved', 'own')!, { ...listed, baseUrl: 'http://proxy.of-a-hook.test' }]) {
        assert.equal((await registry.requestAuth(now)).apiKey, 'new.test');
      }
    });

    it('asks a provider which models it offers now, and keeps its own list when that fails', async () => {
      const server = createServer((_, response) => response.end('{"data":[{"id":"one"},{"id":"one-more"}]}'));
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const local = { baseUrl, api: 'openai-completions', apiKey: 'k', models: [{ id: 'one', contextWindow: 7000 }] };
      await rig.write('models.json', { providers: { local } });
      await rig.registry.load();
      let fired = 0;
      rig.registry.onDidChange(() => (fired += 1));
      try {
        assert.deepEqual(await rig.registry.askOffered('local'), { all: 2, added: 1 });
        assert.equal(rig.registry.find('local', 'one-more')?.contextWindow, 7000);
        assert.equal(fired, 1);
      } finally {
        server.closeAllConnections();
        await new Promise(resolve => server.close(resolve));
      }
      const before = rig.registry.getAll();
      await assert.rejects(rig.registry.askOffered('local'), /Provider "local" did not list its models at/);
      await assert.rejects(rig.registry.askOffered('nobody'), /"nobody" is not known/);
      assert.deepEqual(rig.registry.getAll(), before);
    });

    it('adds the models of models.json, reports what is wrong, and sees changes on refresh', async () => {
      const local = { baseUrl: 'http://127.0.0.1:9/v1', api: 'openai-completions', apiKey: 'literal-key' };
      await rig.write('models.json', { providers: { local: { ...local, models: [{ id: 'm' }, { id: 7 }] } } });
      await rig.registry.load();
      const model = rig.registry.find('local', 'm')!;
      assert.deepEqual(
        [model.name, model.contextWindow, model.maxTokens, model.input, model.reasoning],
        ['m', 128_000, 16_384, ['text'], false],
      );
      assert.equal(await rig.registry.getApiKey(model), 'literal-key');
      assert.match(rig.registry.getError()!, /provider "local", model number 2, id/);
      let changes = 0;
      rig.registry.onDidChange(() => (changes += 1));
      await rig.write('models.json', { providers: { local: { ...local, models: [{ id: 'other' }] } } });
      await rig.registry.reload();
      assert.equal(rig.registry.getError(), undefined);
      assert.equal(rig.registry.find('local', 'm'), undefined);
      assert.ok(rig.registry.find('local', 'other'));
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
      await rig.write('models.json', {
        providers: { local: { ...local, models: [entry], modelOverrides }, theirs: { apiKey: 'k', modelOverrides } },
      });
      await rig.registry.load();
      rig.registry.registerProvider('theirs', { ...local, models: [{ id: 'hooked' }] }, 'hook');
      assert.equal(rig.registry.find('theirs', 'hooked')?.name, 'Renamed');
      const { inputLimits, promptCache, samplingParams, samplingParamsByThinkingLevel, compat, cost } =
        rig.registry.find('local', 'm') as Model<Api> & Record<string, unknown>;
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
      await rig.write('models.json', { providers: { groq: { models: [{ id: 'brand-new' }] } } });
      await rig.registry.load();
      const kin = rig.registry.getAll().find(model => model.provider === 'groq' && model.id !== 'brand-new')!;
      const { api, baseUrl } = rig.registry.find('groq', 'brand-new')!;
      assert.deepEqual({ api, baseUrl }, { api: kin.api, baseUrl: kin.baseUrl });
      assert.equal(rig.registry.getError(), undefined);
    });

    it('keeps the built-in models when models.json is rubbish', async () => {
      await rig.write('models.json', '{ rubbish');
      await rig.registry.load();
      assert.ok(rig.registry.getAll().length > 100);
      assert.match(rig.registry.getError()!, /models\.json is not JSON[\s\S]*File: /);
    });
  });
});
