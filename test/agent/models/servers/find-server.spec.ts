import assert from 'node:assert/strict';
import { findServer } from '../../../../src/agent/models/servers/find-server';
import { SERVER_KINDS } from '../../../../src/agent/models/servers/server-kinds';
import { FakeModelServer, ollama } from '../../../support/fake-model-server';

const LIMIT = { limitMs: 20_000 };

describe('findServer', () => {
  let server: FakeModelServer;
  afterEach(() => server.stop());

  const only = (id: string) => SERVER_KINDS.filter(kind => kind.id === id);

  it('knows Ollama, and what each of its models can do', async () => {
    server = await ollama('gemma3:4b');
    assert.deepEqual(await findServer(`${server.address}/`, LIMIT), {
      ...{ type: 'found', kind: 'ollama', name: 'Ollama', baseUrl: `${server.address}/v1` },
      models: [{ id: 'gemma3:4b', contextWindow: 32_768, input: ['text', 'image'], reasoning: true }],
    });
  });

  it('leaves out models of Ollama that cannot chat', async () => {
    server = await FakeModelServer.json({
      '/api/tags': { models: [{ name: 'embed', model: 'embed' }] },
      '/api/show': { capabilities: ['embedding'] },
    });
    const found = await findServer(server.address, LIMIT);
    assert.deepEqual(found.type === 'found' && found.models, []);
  });

  it('knows LM Studio, and leaves out embeddings', async () => {
    const data = [
      { id: 'qwen', type: 'llm', max_context_length: 32_000, loaded_context_length: 8_000 },
      { id: 'pixtral', type: 'vlm', max_context_length: 16_000 },
      { id: 'nomic', type: 'embeddings' },
    ];
    server = await FakeModelServer.json({ '/api/v0/models': { data }, '/v1/models': { data } });
    const found = await findServer(server.address, LIMIT);
    assert.deepEqual(found.type === 'found' && [found.name, found.models], [
      'LM Studio',
      [
        { id: 'qwen', contextWindow: 8_000 },
        { id: 'pixtral', contextWindow: 16_000, input: ['text', 'image'] },
      ],
    ]);
  });

  for (const [owner, more, name] of [
    ['llamacpp', { meta: { n_ctx_train: 4096 } }, 'llama.cpp'],
    ['vllm', { max_model_len: 4096 }, 'vLLM'],
    ['me', { max_model_len: 4096 }, 'OpenAI-compatible'],
  ] as const) {
    it(`knows ${name} by the owner of its models, also by an address that ends with /v1`, async () => {
      server = await FakeModelServer.json({ '/v1/models': { data: [{ id: 'm', owned_by: owner, ...more }] } });
      const found = await findServer(`${server.address}/v1/`, LIMIT);
      assert.deepEqual(found, {
        ...{ type: 'found', name, baseUrl: `${server.address}/v1`, models: [{ id: 'm', contextWindow: 4096 }] },
        kind: { 'llama.cpp': 'llamacpp', vLLM: 'vllm', 'OpenAI-compatible': 'openai' }[name],
      });
    });
  }

  it('takes no other server for llama.cpp or vLLM', async () => {
    server = await FakeModelServer.json({ '/v1/models': { data: [{ id: 'm', owned_by: 'someone' }] } });
    assert.equal((await findServer(server.address, LIMIT, only('llamacpp'))).type, 'failed');
    assert.equal((await findServer(server.address, LIMIT, only('vllm'))).type, 'failed');
    assert.deepEqual(server.asked, ['GET /v1/models', 'GET /v1/models']);
  });

  it('lists no id that hides something, each once, and not more than 500', async () => {
    const ids = [
      'ok',
      'ok',
      'a b',
      'a\u202eb',
      '$(zap)',
      'x'.repeat(400),
      ...Array.from({ length: 600 }, (_, at) => `m${at}`),
    ];
    server = await FakeModelServer.json({ '/v1/models': { data: ids.map(id => ({ id })) } });
    const found = await findServer(server.address, LIMIT);
    const models = found.type === 'found' ? found.models : [];
    assert.equal(models.length, 500);
    assert.deepEqual(
      models.slice(0, 2).map(({ id }) => id),
      ['ok', 'm0'],
    );
  });

  const failure = async (limitMs = 20_000): Promise<[string, string]> => {
    const found = await findServer(server.address, { limitMs }, only('openai'));
    return found.type === 'failed' ? [found.why, found.detail] : assert.fail('a server was found');
  };

  it('does not follow a redirect', async () => {
    const other = await FakeModelServer.json({ '/v1/models': { data: [{ id: 'm' }] } });
    server = await FakeModelServer.start((_request, response) => {
      response.writeHead(302, { location: `${other.address}/v1/models` }).end();
    });
    assert.deepEqual(await failure(), ['redirect', `HTTP 302 ${other.address}/v1/models`]);
    assert.deepEqual(other.asked, []);
    await other.stop();
  });

  it('says that an answer is a page, no list, or not JSON', async () => {
    let text = '<!DOCTYPE html><title>Hi</title>';
    server = await FakeModelServer.start((_request, response) => void response.end(text));
    assert.deepEqual(await failure(), ['page', text]);
    text = 'hello';
    assert.deepEqual(await failure(), ['other', 'hello']);
    text = '{"data":"none"}';
    assert.deepEqual(await failure(), ['other', 'the answer is no list of models']);
  });

  it('ends with a program that sends without an end, and with one that sends nothing', async () => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    server = await FakeModelServer.start((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', more);
      };
      more();
    });
    assert.deepEqual(await failure(), ['too-large', 'more than 2 MB']);
    await server.stop();
    server = await FakeModelServer.start(() => undefined);
    assert.deepEqual(await failure(50), ['timeout', 'no answer within 0.05 s']);
  });

  it('asks with a key, and says when one is missing', async () => {
    server = await FakeModelServer.start(({ headers }, response) => {
      response.statusCode = headers.authorization === 'Bearer right' ? 200 : 401;
      response.end('{"data":[{"id":"m"}]}');
    });
    assert.deepEqual(await failure(), ['unauthorized', 'HTTP 401']);
    const found = await findServer(server.address, { ...LIMIT, key: 'right' }, only('openai'));
    assert.equal(found.type, 'found');
  });

  it('says that nothing listens, and that a connection is not secure', async () => {
    server = await FakeModelServer.json({});
    const secure = await findServer(server.address.replace('http', 'https'), LIMIT, only('openai'));
    assert.equal(secure.type === 'failed' && secure.why, 'tls');
    await server.stop();
    assert.equal((await failure())[0], 'refused');
  });

  it('ends when it is told to', async () => {
    server = await FakeModelServer.start(() => abort.abort());
    const abort = new AbortController();
    const found = await findServer(server.address, { ...LIMIT, signal: abort.signal }, only('openai'));
    assert.equal(found.type, 'failed');
  });
});
