import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_MODEL } from '../../../../src/demo-model/demo-model';
import {
  canListModels,
  fetchOfferedModels,
  type OfferedModel,
} from '../../../../src/agent/models/choice/offered-models';

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

describe('the models that a provider offers now', () => {
  let server: Server;
  let asked: IncomingMessage[];
  let answers: Answer[];

  beforeEach(async () => {
    asked = [];
    answers = [];
    server = createServer((request, response) => {
      asked.push(request);
      const { status = 200, body } = answers.shift() ?? { status: 500, body: 'no answer' };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const fetchFor = (api: string, path = '', apiKey = 'the-key'): Promise<readonly OfferedModel[]> => {
    const { port } = server.address() as AddressInfo;
    const model = { ...DEMO_MODEL, provider: 'acme', api, baseUrl: `http://127.0.0.1:${port}${path}/` };
    return fetchOfferedModels({ ...model, headers: { 'x-model': 'own' } }, { apiKey, headers: { 'x-gone': null } });
  };

  for (const api of ['openai-completions', 'openai-responses', 'mistral-conversations']) {
    it(`are asked of ${api} with the key`, async () => {
      answers = [{ body: { object: 'list', data: [{ id: 'one', object: 'model' }, { id: 'two' }] } }];
      assert.deepEqual(await fetchFor(api, api.startsWith('mistral') ? '' : '/v1'), [{ id: 'one' }, { id: 'two' }]);
      assert.deepEqual(
        asked.map(({ url, headers }) => [url, headers.authorization, headers['x-model'], 'x-gone' in headers]),
        [['/v1/models', 'Bearer the-key', 'own', false]],
      );
    });
  }

  it('are asked of Anthropic, page by page, with a key or a login', async () => {
    answers = [
      { body: { data: [{ id: 'claude-a', display_name: 'Claude A' }], has_more: true, last_id: 'claude-a' } },
      { body: { data: [{ id: 'claude-b' }], has_more: false, last_id: 'claude-b' } },
      { body: { data: [] } },
    ];
    assert.deepEqual(await fetchFor('anthropic-messages'), [{ id: 'claude-a', name: 'Claude A' }, { id: 'claude-b' }]);
    assert.deepEqual(await fetchFor('anthropic-messages', '', 'sk-ant-oat-1'), []);
    assert.deepEqual(
      asked.map(({ url, headers }) => [url, headers['x-api-key'], headers.authorization]),
      [
        ['/v1/models?limit=1000', 'the-key', undefined],
        ['/v1/models?limit=1000&after_id=claude-a', 'the-key', undefined],
        ['/v1/models?limit=1000', undefined, 'Bearer sk-ant-oat-1'],
      ],
    );
  });

  it('are asked of Google, those aside that do not talk, with their sizes', async () => {
    const talks = { supportedGenerationMethods: ['generateContent'], inputTokenLimit: 1000, outputTokenLimit: 10 };
    const embeds = { name: 'models/embed', supportedGenerationMethods: ['embedContent'] };
    answers = [
      { body: { models: [{ name: 'models/g-1', displayName: 'G 1', ...talks }, embeds], nextPageToken: 'n' } },
      { body: { models: [{ name: 'models/g-2' }] } },
    ];
    assert.deepEqual(await fetchFor('google-generative-ai', '/v1beta'), [
      { id: 'g-1', name: 'G 1', contextWindow: 1000, maxTokens: 10 },
      { id: 'g-2' },
    ]);
    assert.deepEqual(
      asked.map(({ url, headers }) => [url, headers['x-goog-api-key']]),
      [
        ['/v1beta/models?pageSize=1000', 'the-key'],
        ['/v1beta/models?pageSize=1000&pageToken=n', 'the-key'],
      ],
    );
  });

  it('cannot be asked of every API', async () => {
    assert.deepEqual(
      ['openai-completions', 'bedrock-converse-stream', 'toString'].map(api => canListModels({ api })),
      [true, false, false],
    );
    await assert.rejects(fetchFor('bedrock-converse-stream'), /Provider "acme" cannot be asked for its models/);
  });

  it('that cannot be had are an error that names the provider, the address and why', async () => {
    answers = [{ status: 401, body: 'no such key' }, { body: { data: 'none' } }, { body: '<html>' }];
    const where = String.raw`Provider "acme" did not list its models at http://127\.0\.0\.1:\d+/v1/models: `;
    await assert.rejects(fetchFor('openai-completions', '/v1'), new RegExp(`${where}401 no such key`));
    await assert.rejects(
      fetchFor('openai-completions', '/v1'),
      new RegExp(`${where}the answer is not a list of models .*data`),
    );
    await assert.rejects(fetchFor('openai-completions', '/v1'), new RegExp(`${where}.*JSON`));
  });
});
