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
  const servers: FakeModelServer[] = [];
  const opened: { dispose(): void }[] = [];

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-servers-'));
    stored = undefined;
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
      keys: { get: () => Promise.resolve(undefined) },
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
