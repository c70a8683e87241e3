import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api, AssistantMessageEventStream, Context, Model, StreamOptions } from '@mariozechner/pi-ai';
import { loadPiAi, type PiAi } from '../../../src/agent/models/pi-ai';
import type { ProviderModel } from '../../../src/agent/models/files/models-schema';
import type { ProviderConfig } from '../../../src/agent/models/provider-config';
import { demoModel } from '../../../src/demo-model/demo-model';
import { ModelRegistry } from '../../../src/agent/models/registry';
import { deferred } from '../../../src/base/async/wait';
import { ScriptedLlm } from '../../support/scripted-llm';

const TODAY = { namesKeysBare: false, takesSystemMessages: () => true, sharesApi: false };
const QUESTION: Context = { systemPrompt: 'Be short.', messages: [{ role: 'user', content: 'hi', timestamp: 1 }] };

describe("providers of files for today's pi", () => {
  let folder: string;
  let registry: ModelRegistry;
  let llm: ScriptedLlm;
  let piAi: PiAi;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookline providers '));
    llm = await ScriptedLlm.start();
    piAi = await loadPiAi();
    registry = new ModelRegistry({
      agentDir: folder,
      embedded: demoModel(),
      keys: { get: () => Promise.resolve(undefined) },
      env: { SECRET_OF_MINE: 'of the environment' },
    });
    await registry.load();
  });
  afterEach(async () => {
    registry.dispose();
    await llm.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const local = (more: Partial<ProviderConfig> = {}): ProviderConfig => {
    const { baseUrl } = llm.model('openai-completions');
    return { baseUrl, api: 'openai-completions', apiKey: '$SECRET_OF_MINE', models: [{ id: 'm' }], ...more };
  };
  const sayingBack =
    (text: (context: Context) => string) =>
    (model: Model<Api>, context: Context, _options?: StreamOptions): AssistantMessageEventStream => {
      const stream = piAi.createAssistantMessageEventStream();
      const message = {
        role: 'assistant' as const,
        content: [{ type: 'text' as const, text: text(context) }],
        api: model.api,
        provider: model.provider,
        model: model.id,
        usage: {
          input: 0,
          output: 0,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 0,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        stopReason: 'stop' as const,
        timestamp: 1,
      };
      stream.push({ type: 'done', reason: 'stop', message });
      return stream;
    };
  const ask = async (provider: string, id: string): Promise<string> => {
    const answer = await registry.complete(registry.find(provider, id)!, QUESTION);
    return answer.errorMessage ?? JSON.stringify(answer.content);
  };

  it('send keys by the grammar of today, with the bearer and headers they ask for', async () => {
    registry.registerProvider(
      'mine',
      local({ authHeader: true, headers: { 'x-h': 'a ${SECRET_OF_MINE}' } }),
      'a',
      TODAY,
    );
    llm.reply({ text: 'fine' });
    assert.match(await ask('mine', 'm'), /fine/);
    const { headers } = llm.requests[0]!;
    assert.deepEqual([headers['authorization'], headers['x-h']], ['Bearer of the environment', 'a of the environment']);
    const found = await registry.getApiKeyAndHeaders(registry.find('mine', 'm')!);
    assert.equal(found.ok && found.apiKey, 'of the environment');
  });

  it('add to what they registered before; a stream of theirs serves no other provider', async () => {
    registry.registerProvider('mine', local(), 'a', TODAY);
    const streamSimple = sayingBack(
      ({ messages, systemPrompt }) => `${messages.map(({ role }) => role).join(' ')} ${systemPrompt}`,
    );
    registry.registerProvider('mine', { api: 'openai-completions', streamSimple }, 'a', TODAY);
    registry.registerProvider('other', local(), 'b', TODAY);
    llm.reply({ text: 'of the server' });
    assert.match(await ask('mine', 'm'), /system user undefined/);
    assert.match(await ask('other', 'm'), /of the server/);
  });

  it('find their models by themselves, keep what they publish, and keep their models when that fails', async () => {
    const contexts: unknown[] = [];
    let fails = false;
    const refreshModels: ProviderConfig['refreshModels'] = async context => {
      const { stored, allowNetwork, signal } = context;
      contexts.push([stored?.checkedAt, allowNetwork, signal.aborted]);
      if (fails) throw new Error('offline');
      await context.publish({ persist: { models: [], checkedAt: 7 } });
      return [{ id: `found${contexts.length}` }];
    };
    registry.registerProvider('mine', local({ refreshModels }), 'a', TODAY);
    await new Promise(resolve => registry.onDidChange(() => registry.find('mine', 'found1') && resolve(undefined)));
    assert.equal(registry.find('mine', 'm'), undefined);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'models-store.json'), 'utf8')), {
      mine: { models: [], checkedAt: 7 },
    });
    const again = await registry.refresh();
    assert.deepEqual([again.aborted, again.errors.size, registry.find('mine', 'found2')?.name], [false, 0, 'found2']);
    fails = true;
    const failed = await registry.refresh();
    assert.equal(failed.errors.get('mine')?.message, 'Provider "mine" could not refresh its models: offline');
    assert.ok(registry.find('mine', 'found2'));
    assert.deepEqual(contexts, [
      [undefined, false, false],
      [7, true, false],
      [7, true, false],
    ]);
  });

  it('are not waited for without end: the others answer meanwhile, and what they find later counts', async () => {
    const slow = new ModelRegistry({
      agentDir: folder,
      embedded: demoModel(),
      keys: { get: () => Promise.resolve(undefined) },
      env: { SECRET_OF_MINE: 'of the environment' },
      modelsLimitMs: 1,
    });
    try {
      const found = deferred<readonly ProviderModel[]>();
      const never = new Promise<never>(() => undefined);
      slow.registerProvider('slow', local({ refreshModels: () => found.promise }), 'a', TODAY);
      slow.registerProvider('stuck', local({ refreshModels: () => never }), 'a', TODAY);
      slow.registerProvider('mine', local(), 'a', TODAY);
      llm.reply({ text: 'fine' });
      const answer = await slow.complete(slow.find('mine', 'm')!, QUESTION);
      assert.equal(answer.errorMessage, undefined);
      const isFound = new Promise(resolve => slow.onDidChange(() => slow.find('slow', 'late') && resolve(undefined)));
      found.resolve([{ id: 'late' }]);
      await isFound;
      const stop = new AbortController();
      const refreshed = slow.refresh({ signal: stop.signal });
      stop.abort();
      assert.equal((await refreshed).aborted, true);
    } finally {
      slow.dispose();
    }
  });

  it('have models for images and classes, which are asked in their own way and fail as results', async () => {
    const given: unknown[] = [];
    registry.registerProvider(
      'tools',
      local({
        models: [
          { type: 'image', id: 'both', api: 'pictures' },
          { type: 'classifier', id: 'both', api: 'judge' },
          { type: 'classifier', id: 'lone', api: 'nobody' },
        ],
        classifiers: {
          judge: {
            classify: (model: object, context: object, options: { readonly apiKey?: string }) => {
              given.push([Reflect.get(model, 'id'), context, options.apiKey]);
              return Promise.resolve({ stopReason: 'stop', answers: { yes: 1 } });
            },
          },
        },
        images: { pictures: { generateImages: () => Promise.reject(new Error('no paint')) } },
      }),
      'a',
      TODAY,
    );
    assert.deepEqual(
      registry.getModelsOfType('classifier', 'tools').map(({ id }) => id),
      ['both', 'lone'],
    );
    for (const type of ['image', 'classifier'] as const) {
      assert.ok(registry.getModelsOfType(type, 'openrouter').length > 0);
    }
    assert.equal(registry.getModelsOfType('chat', 'tools').length, 0);
    assert.equal((await registry.getAvailableOfType('image', 'tools')).length, 1);
    const [judge, lone] = ['both', 'lone'].map(id => registry.findOfType('classifier', 'tools', id) as never);
    const judged = await registry.classify(judge!, { state: {} });
    assert.deepEqual(
      [judged.stopReason, judged['answers'], given],
      ['stop', { yes: 1 }, [['both', { state: {} }, 'of the environment']]],
    );
    const refused = await registry.classify(lone!, {});
    assert.deepEqual(
      [refused.stopReason, refused['errorMessage']],
      ['error', 'Provider tools does not support classification'],
    );
    const painted = await registry.generateImages(registry.findOfType('image', 'tools', 'both') as never, {});
    assert.deepEqual([painted.stopReason, painted['errorMessage'], painted['output']], ['error', 'no paint', []]);
  });

  it("answer with classes by pi-ai's own client, at the address and as the server takes images that models.json says", async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push([request.url, request.headers.authorization, JSON.parse(Buffer.concat(chunks).toString('utf8'))]);
        response.writeHead(200, { 'content-type': 'application/json' });
        const answers = [{ name: 'fine', type: 'predicate', probability: 0.75 }];
        response.end(JSON.stringify({ id: 'd', answers, usage: { input_tokens: 5, output_tokens: 1 } }));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const providers = {
        openai: { baseUrl, apiKey: 'key of the file' },
        typesafe: { baseUrl, compat: { imageInput: 'magic' } },
      };
      writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers }));
      await registry.refresh();
      const model = registry.getModelsOfType('classifier', 'openai')[0];
      assert.equal(model?.baseUrl, baseUrl);
      const questions = { fine: { type: 'bool', instructions: 'Is it fine?', criteria: { true: '', false: '' } } };
      const judged = await registry.classify(model as never, { state: { text: 'hi' }, questions });
      assert.deepEqual(
        [judged.stopReason, judged['errorMessage'], judged['answers']],
        ['stop', undefined, { fine: { type: 'bool', probability: 0.75 } }],
      );
      assert.match(JSON.stringify(seen), /decisions.*Bearer key of the file.*Is it fine\?/);
      const other = registry.getModelsOfType('classifier', 'typesafe')[0] as { readonly compat?: object } | undefined;
      assert.equal(Reflect.get(other?.compat ?? {}, 'imageInput'), 'magic');
    } finally {
      await new Promise(resolve => server.close(resolve));
    }
  });

  it('may be whole providers of pi-ai, with keys, models and streams of their own, changed by models.json', async () => {
    const model = { ...llm.model('openai-completions'), provider: 'whole', id: 'w', api: 'own' };
    const keys: unknown[] = [];
    const provider = {
      id: 'whole',
      name: 'Whole',
      auth: {
        apiKey: {
          name: 'key',
          resolve: ({ credential }: { readonly credential?: { readonly key?: string } }) => {
            keys.push(credential?.key);
            return Promise.resolve({ auth: { apiKey: credential?.key ?? 'ambient', headers: { 'x-own': 'yes' } } });
          },
        },
      },
      getModels: () => [model],
      stream: () => assert.fail('the plain stream'),
      streamSimple: (asked: Model<Api>, context: Context, options?: StreamOptions) => {
        keys.push([options?.apiKey, options?.headers?.['x-own']]);
        return sayingBack(({ messages }) => messages.map(({ role }) => role).join(' '))(asked, context);
      },
    };
    writeFileSync(
      join(folder, 'models.json'),
      JSON.stringify({ providers: { whole: { modelOverrides: { w: { name: 'Renamed' } } } } }),
    );
    registry.registerNativeProvider(provider, 'a');
    await registry.refresh();
    assert.equal(registry.find('whole', 'w')?.name, 'Renamed');
    assert.equal(registry.hasConfiguredAuth({ provider: 'whole' }), true);
    assert.equal(registry.getProvider('whole'), provider);
    assert.match(await ask('whole', 'w'), /system user/);
    assert.deepEqual(keys.at(-1), ['ambient', 'yes']);
    assert.equal((await registry.getProviderAuth('whole'))?.auth.apiKey, 'ambient');
    const logins = (): boolean => registry.authStorage.getOAuthProviders().some(({ id }) => id === 'whole');
    const oauth = { name: 'Whole', login: () => Promise.reject(new Error('unused')) };
    registry.registerNativeProvider({ ...provider, auth: { ...provider.auth, oauth } }, 'a');
    assert.equal(logins(), true);
    registry.unregisterProvider('whole');
    assert.equal(registry.find('whole', 'w'), undefined);
    assert.equal(logins(), false);
    assert.throws(
      () => registry.registerNativeProvider({ id: 'bad', name: 'x', auth: {} }),
      /Provider "bad": "auth" must have apiKey or oauth/,
    );
  });
});
