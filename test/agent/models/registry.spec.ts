import assert from 'node:assert/strict';
import type { Context } from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { demoModel } from '../../../src/demo-model/demo-model';
import { ModelRegistry } from '../../../src/agent/models/registry';
import { loadPiAi } from '../../../src/agent/models/pi-ai';
import type { ProviderConfig } from '../../../src/agent/models/provider-config';
import { createStreamFn } from '../../../src/agent/models/requests/stream';
import { RegistryRig } from '../../support/registry-rig';
import { ScriptedLlm } from '../../support/scripted-llm';

describe('ModelRegistry', () => {
  let rig: RegistryRig;

  beforeEach(async () => {
    rig = await RegistryRig.open();
  });
  afterEach(() => rig.close());

  describe('registered providers', () => {
    it('replace models, override addresses, and go with their source', async () => {
      await rig.registry.load();
      const before = rig.registry.getAll().filter(model => model.provider === 'groq');
      rig.registry.registerProvider(
        'groq',
        { baseUrl: 'http://x', apiKey: 'k', api: 'openai-completions', models: [{ id: 'only' }] },
        'a',
      );
      assert.deepEqual(
        rig.registry
          .getAll()
          .filter(model => model.provider === 'groq')
          .map(model => model.id),
        ['only'],
      );
      assert.equal(await rig.keyOf('groq'), 'k');
      rig.registry.registerProvider('xai', { baseUrl: 'http://proxy' }, 'a');
      assert.ok(
        rig.registry
          .getAll()
          .filter(model => model.provider === 'xai')
          .every(model => model.baseUrl === 'http://proxy'),
      );
      await rig.registry.reload();
      assert.ok(rig.registry.find('groq', 'only'), 'a refresh keeps them');
      rig.registry.unregisterSource('a');
      assert.deepEqual(
        rig.registry.getAll().filter(model => model.provider === 'groq'),
        before,
      );
      assert.equal(await rig.keyOf('groq'), undefined);
    });

    it('count when registered before the registry was loaded', async () => {
      rig.registry.registerProvider('early', {
        baseUrl: 'http://x',
        apiKey: 'k',
        api: 'openai-completions',
        models: [{ id: 'm' }],
      });
      await rig.registry.load();
      assert.ok(rig.registry.find('early', 'm'));
      rig.registry.unregisterProvider('early');
      assert.equal(rig.registry.find('early', 'm'), undefined);
    });

    it('that are wrong are refused with a text and change nothing', async () => {
      await rig.registry.load();
      const wrong: readonly (readonly [unknown, RegExp])[] = [
        [null, /Provider "bad": the configuration must be an object/],
        [{ streamSimple: () => undefined }, /Provider "bad": "api" is required with streamSimple/],
        [{ models: [{ id: 'm' }] }, /Provider "bad": "baseUrl" is required/],
        [{ baseUrl: 'x', models: [{ id: 'm' }] }, /model "m": no "api"/],
        [{ baseUrl: 'x', api: 'y', models: [{ name: 'm' }] }, /model number 1: id/],
        [{ baseUrl: 7 }, /Provider "bad": baseUrl/],
      ];
      const before = rig.registry.getAll();
      for (const [config, expected] of wrong) {
        assert.throws(() => rig.registry.registerProvider('bad', config as ProviderConfig), expected);
      }
      assert.deepEqual(rig.registry.getAll(), before);
    });

    it('get prompt and tools beside the messages, or as system messages where they take these', async () => {
      const piAi = await loadPiAi();
      await rig.registry.load();
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
        rig.registry.registerProvider('own', { api: 'own-api', streamSimple, models: [{ id: 'm' }] }, 'a', {
          takesSystemMessages: () => takes,
        });
        const context = { systemPrompt: 'be kind', messages: [user], tools: [tool] };
        await createStreamFn(rig.registry)(rig.registry.find('own', 'm')!, context).result();
      }
      const head = { role: 'system', content: 'be kind', toolsAdded: [tool], timestamp: 0 };
      assert.deepEqual(seen, [
        { systemPrompt: 'be kind', messages: [user], tools: [tool] },
        { messages: [head, user] },
      ]);
    });

    it('may stream by themselves, need no key then, and give back an API they covered', async () => {
      const piAi = await loadPiAi();
      await rig.registry.load();
      const builtIn = piAi.getApiProvider('anthropic-messages');
      const streamSimple: ProviderConfig['streamSimple'] = model => {
        const stream = piAi.createAssistantMessageEventStream();
        const message = { ...piAi.fauxAssistantMessage('from the hook'), provider: model.provider };
        stream.push({ type: 'done', reason: 'stop', message });
        return stream;
      };
      rig.registry.registerProvider('own', { api: 'anthropic-messages', streamSimple, models: [{ id: 'm' }] }, 'a');
      rig.registry.registerProvider('own2', { api: 'own-api', streamSimple, models: [{ id: 'm' }] }, 'b');
      const stream = createStreamFn(rig.registry);
      for (const provider of ['own', 'own2']) {
        assert.equal(await rig.registry.hasKey(rig.registry.find(provider, 'm')!), true);
        const message = await stream(rig.registry.find(provider, 'm')!, { messages: [] }).result();
        assert.deepEqual(message.content, [{ type: 'text', text: 'from the hook' }]);
      }
      rig.registry.unregisterSource('a');
      rig.registry.unregisterSource('b');
      assert.equal(piAi.getApiProvider('own-api'), undefined);
      assert.notEqual(piAi.getApiProvider('anthropic-messages'), undefined);
      const llm = await ScriptedLlm.start();
      try {
        llm.reply({ text: 'from the server' });
        rig.registry.authStorage.setRuntimeApiKey('scripted', 'k');
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

  describe('asks for models that appeared lately', () => {
    const before = globalThis.fetch;
    const asked: string[] = [];

    beforeEach(() => {
      asked.length = 0;
      globalThis.fetch = url => {
        asked.push(url instanceof Request ? url.url : url.toString());
        const model = { ...rig.anyModel('groq'), id: 'groq-new' };
        const headers = { 'last-modified': new Date(Date.UTC(2100, 0)).toUTCString() };
        return Promise.resolve(Response.json([model], { headers }));
      };
      process.env['GROQ_API_KEY'] = 'k';
    });
    afterEach(() => (globalThis.fetch = before));

    it('of providers with a key, and hooks get them from refresh()', async () => {
      await rig.registry.load();
      await rig.registry.reload();
      assert.deepEqual(asked, [], 'neither the start nor a change of a file asks');
      let changes = 0;
      rig.registry.onDidChange(() => (changes += 1));
      await rig.registry.refresh();
      assert.deepEqual(
        asked.map(url => new URL(url).pathname),
        ['/api/models/providers/groq'],
      );
      assert.ok(rig.registry.find('groq', 'groq-new'));
      assert.ok(changes > 0);
      assert.equal(rig.registry.listedAt, Date.UTC(2100, 0));
      await rig.registry.updateCatalog();
      assert.equal(asked.length, 1);
    });

    it('neither offline, nor when the setting is off, nor when a hook refreshes without network', async () => {
      await rig.registry.refresh({ allowNetwork: false });
      process.env['PI_OFFLINE'] = '1';
      await rig.registry.refresh();
      delete process.env['PI_OFFLINE'];
      const { agentDir, typed: keys } = rig;
      const quiet = new ModelRegistry({ agentDir, embedded: demoModel(), keys, mayUpdateCatalog: () => false });
      await quiet.refresh();
      quiet.dispose();
      assert.deepEqual(asked, []);
      await rig.registry.updateCatalog();
      assert.equal(asked.length, 1);
    });
  });

  it('gives requests their key and headers, over the wire', async () => {
    const llm = await ScriptedLlm.start();
    try {
      await rig.write('models.json', {
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
      await rig.registry.load();
      llm.reply({ text: 'ok' });
      const message = await createStreamFn(rig.registry)(rig.registry.find('local', 'm')!, { messages: [] }).result();
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
      await rig.write('auth.json', { 'azure-openai-responses': { type: 'api_key', key: '$MY_KEY', env } });
      const byLevel = { off: { top_k: 1 }, high: { top_k: 2, seed: 3 } };
      await rig.write('models.json', {
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
      await rig.registry.load();
      llm.otherwise(() => ({ text: 'ok' }));
      const stream = createStreamFn(rig.registry);
      const azure = rig.registry.getAll().find(model => model.provider === 'azure')!;
      assert.equal(rig.registry.find('azure-openai-responses', azure.id), azure);
      const answer = await stream(azure, { messages: [] }).result();
      assert.equal(answer.stopReason, 'stop', answer.errorMessage);
      assert.equal(llm.requests[0]?.headers['api-key'], 'of the credential');
      for (const reasoning of [undefined, 'high'] as const) {
        await stream(rig.registry.find('local', 'm')!, { messages: [] }, reasoning && { reasoning }).result();
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
      await rig.write('auth.json', { openai: { type: 'api_key', key: 'k', env: { OPENAI_REGION: 'eu' } } });
      await rig.write('models.json', {
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
      await rig.registry.load();
      const model = rig.registry.find('local', 'm')!;
      const auth = { apiKey: 'secret', headers: { 'x-h': 'value' } };
      assert.deepEqual(await rig.registry.getApiKeyAndHeaders(model), { ok: true, ...auth });
      assert.deepEqual(await rig.registry.getApiKeyAndHeaders(rig.anyModel('openai')), {
        ok: true,
        apiKey: 'k',
        env: { OPENAI_REGION: 'eu' },
      });
      assert.deepEqual(await rig.registry.getProviderAuth('local'), { auth, source: 'configured API key' });
      assert.equal(await rig.registry.getProviderAuth('nobody'), undefined);
      const failed = await rig.registry.getApiKeyAndHeaders(rig.anyModel('broken'));
      assert.match(failed.ok ? '' : failed.error, /models\.json, provider "broken", apiKey: .*NO_SUCH_API_KEY/);
      rig.registry.authStorage.setRuntimeApiKey('mistral', 'k');
      assert.deepEqual(
        ['mistral', 'openai', 'local', 'xai', 'groq', 'broken', 'nobody'].map(name =>
          rig.registry.getProviderAuthStatus(name),
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
        ['local', 'nobody'].map(name => rig.registry.getProviderDisplayName(name)),
        ['Mine', 'nobody'],
      );
      assert.deepEqual(rig.registry.getProvider('local')?.getModels(), [model]);
      assert.equal(rig.registry.getProvider('nobody'), undefined);
      llm.reply({ text: 'completed' });
      const { content } = await rig.registry.complete(model, {
        messages: [{ role: 'user', content: 'q', timestamp: 1 }],
      });
      assert.deepEqual(content, [{ type: 'text', text: 'completed' }]);
      assert.equal(llm.requests[0]?.headers['authorization'], 'Bearer secret');
      llm.reply({ text: 'thought over' });
      const thinking = { ...model, reasoning: true };
      await rig.registry.complete(thinking, { messages: [] }, { reasoningEffort: 'high' });
      assert.equal((llm.requests[1]?.body as { reasoning_effort?: string }).reasoning_effort, 'high');
    } finally {
      await llm.stop();
    }
  });

  it('tells which key is missing, and streams the demo without any', async () => {
    await rig.registry.load();
    const stream = createStreamFn(rig.registry);
    const message = await stream(rig.anyModel('openai'), { messages: [] }).result();
    assert.match(message.errorMessage!, /No API key for provider "openai".*OPENAI_API_KEY/);
    const demo = await stream(rig.registry.find('demo', 'offline')!, {
      messages: [{ role: 'user', content: 'hi', timestamp: 1 }],
    }).result();
    assert.equal(demo.stopReason, 'stop');
  });
});
