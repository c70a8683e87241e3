import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_MODEL } from '../../../../src/demo-model/demo-model';
import { ModelRegistry } from '../../../../src/agent/models/registry';
import { LocalServers } from '../../../../src/agent/models/servers/local-servers';
import { FakeModelServer, ollama } from '../../../support/fake-model-server';

describe('LocalServers', () => {
  let dir: string;
  let stored: unknown;
  const typedKeys = new Map<string, string>();
  const servers: FakeModelServer[] = [];
  const opened: { dispose(): void }[] = [];

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-servers-'));
    stored = undefined;
    typedKeys.clear();
  });
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) each.dispose();
    await Promise.all(servers.splice(0).map(server => server.stop()));
    rmSync(dir, { recursive: true });
  });

  const running = async (server: Promise<FakeModelServer>): Promise<FakeModelServer> => {
    servers.push(await server);
    return server;
  };
  const open = async (ports: Record<string, number>): Promise<{ registry: ModelRegistry; local: LocalServers }> => {
    const embedded = { model: DEMO_MODEL, register: () => undefined };
    const registry = new ModelRegistry({
      ...{ agentDir: dir, embedded, env: {}, mayUpdateCatalog: () => false },
      keys: { get: provider => Promise.resolve(typedKeys.get(provider)) },
    });
    await registry.load();
    const memory = {
      get: () => stored,
      set: (value: unknown) => {
        stored = JSON.parse(JSON.stringify(value));
        return Promise.resolve();
      },
    };
    const local = new LocalServers({ registry, memory, ports: () => ports, now: () => 5_000 });
    opened.push(registry, local);
    return { registry, local };
  };

  it('asks nobody before it is told to look, and then offers what answers, with a key that none needs', async () => {
    const server = await running(ollama('gemma'));
    const { registry, local } = await open({ ollama: server.port });
    assert.deepEqual(server.asked, []);
    assert.equal(registry.find('ollama', 'gemma'), undefined);
    await local.look();
    const model = registry.find('ollama', 'gemma')!;
    assert.equal(model.baseUrl, `${server.address}/v1`);
    assert.deepEqual([model.contextWindow, model.reasoning, model.input], [32_768, true, ['text', 'image']]);
    assert.equal(await registry.hasKey(model), true);
    assert.equal(registry.getProviderDisplayName('ollama'), 'Ollama');
    assert.deepEqual([local.has('ollama'), local.listedAt('ollama')], [true, 5_000]);
  });

  it('looks for four programs at once, each by its own answer, and offers no other program', async () => {
    const silent = await running(FakeModelServer.start(() => undefined));
    const page = await running(FakeModelServer.start((_request, response) => void response.end('<html></html>')));
    const lm = { data: [{ id: 'qwen', type: 'llm' }] };
    const lmstudio = await running(FakeModelServer.json({ '/api/v0/models': lm }));
    const vllm = await running(FakeModelServer.json({ '/v1/models': { data: [{ id: 'v', owned_by: 'vllm' }] } }));
    const ports = { ollama: silent.port, lmstudio: lmstudio.port, llamacpp: page.port, vllm: vllm.port };
    const { registry, local } = await open(ports);
    const looking = local.look();
    // What answers is there while another one has not answered yet.
    await new Promise<void>(resolve => {
      const subscription = registry.onDidChange(() => {
        if (registry.find('vllm', 'v') === undefined || registry.find('lmstudio', 'qwen') === undefined) return;
        subscription.dispose();
        resolve();
      });
    });
    await looking;
    assert.equal(
      registry.getAll().some(({ provider }) => provider === 'ollama' || provider === 'llamacpp'),
      false,
    );
    assert.deepEqual(page.asked, ['GET /v1/models']);
  });

  it('does not look at a port that is turned off', async () => {
    const { registry, local } = await open({ ollama: 0 });
    await local.look();
    assert.equal(registry.getProvider('ollama'), undefined);
  });

  it('keeps a chosen model over a restart, also while its server does not run, and only that one', async () => {
    const server = await running(ollama('gemma', 'other'));
    const first = await open({ ollama: server.port });
    await first.local.look();
    await first.local.remember(first.registry.find('ollama', 'gemma')!);
    await first.local.remember(DEMO_MODEL);
    await server.stop();
    const { registry, local } = await open({ ollama: server.port });
    assert.equal(registry.find('ollama', 'gemma')?.baseUrl, `${server.address}/v1`);
    assert.equal(registry.find('ollama', 'gemma')?.contextWindow, 32_768);
    assert.equal(registry.find('ollama', 'other'), undefined);
    await local.look();
    assert.ok(registry.find('ollama', 'gemma'));
    assert.deepEqual([local.has('ollama'), local.listedAt('ollama')], [true, undefined]);
  });

  it('withdraws what no longer answers, but for what was chosen', async () => {
    const server = await running(ollama('gemma', 'other'));
    const { registry, local } = await open({ ollama: server.port });
    await local.look();
    await local.remember(registry.find('ollama', 'gemma')!);
    await server.stop();
    await local.look();
    assert.deepEqual([registry.find('ollama', 'gemma')?.id, registry.find('ollama', 'other')], ['gemma', undefined]);
  });

  const writeModels = (providers: object): void =>
    writeFileSync(join(dir, 'models.json'), JSON.stringify({ providers }));
  const SECRET = 'sk-of-another-server';
  const configured = (baseUrl: string, id: string): object => ({
    ...{ baseUrl, api: 'openai-completions', apiKey: SECRET, headers: { 'x-secret': SECRET } },
    models: [{ id }],
  });
  const ELSEWHERE = 'http://192.0.2.1/v1';
  const HELLO = { messages: [{ role: 'user' as const, content: 'hello', timestamp: 0 }] };

  for (const [where, store] of [
    ['was typed', () => typedKeys.set('ollama', SECRET)],
    [
      'is in auth.json',
      () => writeFileSync(join(dir, 'auth.json'), JSON.stringify({ ollama: { type: 'api_key', key: SECRET } })),
    ],
    ['is for this run', (registry: ModelRegistry) => registry.authStorage.setRuntimeApiKey('ollama', SECRET)],
  ] as const) {
    for (const when of ['before', 'after'] as const) {
      it(`sends no key to a server whose name has one that ${where}, stored ${when} it was found`, async () => {
        const server = await running(ollama('gemma'));
        const { registry, local } = await open({ ollama: server.port });
        const storeNow = async (): Promise<void> => {
          store(registry);
          await registry.reload();
        };
        if (when === 'before') await storeNow();
        await local.look();
        if (when === 'after') await storeNow();
        const model = registry.find('ollama', 'gemma')!;
        await registry.complete(model, HELLO);
        await registry.askOffered('ollama').catch(() => undefined);
        assert.deepEqual(server.asked.slice(-2), [
          'POST /v1/chat/completions Bearer no-key-needed',
          'GET /v1/models Bearer no-key-needed',
        ]);
        assert.equal(await registry.getApiKey(model), 'no-key-needed');
        assert.equal(await registry.nameUse('ollama'), 'key');
      });
    }
  }

  it('gives way at once to a provider that models.json gets with its name, and sends nothing of it to the server', async () => {
    const server = await running(ollama('gemma', 'other'));
    const { registry, local } = await open({ ollama: server.port });
    await local.look();
    await local.remember(registry.find('ollama', 'gemma')!);
    const held = registry.find('ollama', 'other')!;
    writeModels({ ollama: configured(ELSEWHERE, 'gemma') });
    await registry.reload();
    assert.deepEqual(
      [registry.find('ollama', 'gemma')?.baseUrl, registry.find('ollama', 'other')],
      [ELSEWHERE, undefined],
    );
    assert.equal(local.has('ollama'), false);
    await local.look();
    assert.equal(registry.find('ollama', 'gemma')?.baseUrl, ELSEWHERE);
    const before = server.asked.length;
    for (const model of [held, { ...held }]) {
      await assert.rejects(registry.requestAuth(model), /"other" of provider "ollama" is not offered at .* any more/);
      const { errorMessage } = await registry.complete(model, HELLO);
      assert.match(errorMessage ?? '', /is not offered at/);
    }
    assert.equal(server.asked.length, before);
    writeModels({});
    await registry.reload();
    assert.deepEqual([registry.find('ollama', 'other')?.baseUrl, local.has('ollama')], [held.baseUrl, true]);
  });

  it('gives way at once to a provider that models.json gets with its address', async () => {
    const server = await running(ollama('gemma'));
    const { registry, local } = await open({ ollama: server.port });
    await local.look();
    writeModels({ mine: configured(`http://localhost:${server.port}/v1`, 'gemma') });
    await registry.reload();
    assert.deepEqual([registry.find('ollama', 'gemma'), local.has('ollama')], [undefined, false]);
    assert.equal((await registry.requestAuth(registry.find('mine', 'gemma')!)).apiKey, SECRET);
  });

  it('gets the key of its own entry once models.json names it', async () => {
    const server = await running(ollama('gemma'));
    const { registry, local } = await open({ ollama: server.port });
    await local.look();
    writeModels({ ollama: configured(`${server.address}/v1`, 'gemma') });
    await registry.reload();
    assert.equal((await registry.requestAuth(registry.find('ollama', 'gemma')!)).apiKey, SECRET);
    assert.equal(await registry.nameUse('ollama'), 'provider');
  });

  it('gives way to a hook that gives its name only headers, and gets none of them', async () => {
    const server = await running(ollama('gemma'));
    const { registry, local } = await open({ ollama: server.port });
    await local.look();
    const held = registry.find('ollama', 'gemma')!;
    registry.registerProvider('ollama', { headers: { 'x-secret': SECRET } }, '/hooks/a.ts');
    assert.deepEqual([registry.find('ollama', 'gemma'), local.has('ollama')], [undefined, false]);
    await assert.rejects(registry.requestAuth(held), /is not offered at/);
    registry.unregisterSource('/hooks/a.ts');
    assert.equal(registry.find('ollama', 'gemma')?.headers, undefined);
    assert.equal(local.has('ollama'), true);
  });

  it('gets no key when it was withdrawn and a key of its name is stored', async () => {
    const server = await running(ollama('gemma'));
    const { registry, local } = await open({ ollama: server.port });
    await local.look();
    const held = registry.find('ollama', 'gemma')!;
    await server.stop();
    await local.look();
    typedKeys.set('ollama', SECRET);
    await assert.rejects(registry.requestAuth(held), /is not offered at/);
  });

  it('has nothing of a chosen model whose name models.json has after a restart', async () => {
    const server = await running(ollama('gemma'));
    const first = await open({ ollama: server.port });
    await first.local.look();
    await first.local.remember(first.registry.find('ollama', 'gemma')!);
    writeModels({ ollama: configured(ELSEWHERE, 'm') });
    const { registry, local } = await open({ ollama: server.port });
    assert.deepEqual([local.has('ollama'), registry.find('ollama', 'gemma')], [false, undefined]);
  });

  for (const [what, name] of [
    ['the name', 'ollama'],
    ['the address', 'mine'],
  ] as const) {
    it(`leaves a server alone of which models.json has ${what}`, async () => {
      const server = await running(ollama('gemma'));
      const baseUrl = name === 'ollama' ? 'http://192.0.2.1/v1' : `http://localhost:${server.port}/v1`;
      const provider = { baseUrl, api: 'openai-completions', apiKey: 'k', models: [{ id: 'm' }] };
      writeFileSync(join(dir, 'models.json'), JSON.stringify({ providers: { [name]: provider } }));
      const { registry, local } = await open({ ollama: server.port });
      await local.look();
      assert.equal(registry.find('ollama', 'gemma'), undefined);
      assert.equal(registry.find(name, 'm')?.baseUrl, baseUrl);
      assert.equal(local.has('ollama'), false);
    });
  }

  it('ignores a memory that it cannot read', async () => {
    stored = [{ id: 'ollama', models: 'many' }];
    const { registry } = await open({});
    assert.equal(registry.getProvider('ollama'), undefined);
    opened.pop()?.dispose();
    stored = [{ id: 'evil', baseUrl: 'http://127.0.0.1:1/v1', models: [{ id: 'm' }] }];
    assert.equal((await open({})).registry.getProvider('evil'), undefined);
  });
});
