import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fetchReleasingBody } from '../../../../src/agent/models/requests/released-body';

describe('a fetch that releases the body', () => {
  interface Received {
    readonly method: string | undefined;
    readonly length: string | undefined;
    readonly type: string | undefined;
    readonly body: string;
  }
  let server: Server;
  let url: string;
  let received: Received[];
  let answer: (path: string, response: ServerResponse) => void;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, headers } = request;
    const body = await text(request);
    received.push({ method, length: headers['content-length'], type: headers['content-type'], body });
    answer(request.url ?? '', response);
  };
  const post = (path: string, body: string, init: RequestInit = {}): Promise<Response> =>
    fetchReleasingBody(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      ...init,
    });

  beforeEach(async () => {
    received = [];
    answer = (_path, response) => response.end('done');
    server = createServer((request, response) => void serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends it whole, with its length', async () => {
    const response = await post('/', '{"a":"ä€😀"}');
    assert.equal(await response.text(), 'done');
    assert.deepEqual(received, [{ method: 'POST', length: '17', type: 'application/json', body: '{"a":"ä€😀"}' }]);
  });

  for (const [status, method, body] of [
    [307, 'POST', 'whole'],
    [308, 'POST', 'whole'],
    [303, 'GET', ''],
  ] as const) {
    it(`follows a redirect: ${status}`, async () => {
      answer = (path, response) =>
        path === '/old' ? response.writeHead(status, { location: '/new' }).end() : response.end('done');
      const response = await post('/old', 'whole');
      assert.equal(await response.text(), 'done');
      assert.equal(response.redirected, true);
      assert.deepEqual([received.at(-1)?.method, received.at(-1)?.body], [method, body]);
    });
  }

  it('gives back a refusal', async () => {
    answer = (_path, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no');
    const response = await post('/', 'whole');
    assert.equal(response.status, 401);
    assert.equal(await response.text(), 'no');
  });

  it('fails as usual, and sends nothing again', async () => {
    answer = (_path, response) => response.destroy();
    await assert.rejects(post('/', 'whole'), { name: 'TypeError', message: 'fetch failed' });
    assert.equal(received.length, 1);
  });

  it('can be aborted', async () => {
    const abort = new AbortController();
    answer = () => abort.abort();
    await assert.rejects(post('/', 'whole', { signal: abort.signal }), { name: 'AbortError' });
  });

  it('shows the text to a fetch that took the place of the one of Node', async () => {
    const before = globalThis.fetch;
    const seen: unknown[] = [];
    globalThis.fetch = (...request) => {
      seen.push(request[1]?.body);
      return before(...request);
    };
    try {
      await post('/', 'whole');
    } finally {
      globalThis.fetch = before;
    }
    assert.deepEqual(seen, ['whole']);
  });

  it('keeps no bytes until the next full garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
    collect();
    const begin = process.memoryUsage().arrayBuffers;
    for (let turn = 0; turn < 10; turn++) await (await post('/', 'x'.repeat(1_000_000))).text();
    for (let each = 0; each < 3; each++) collect({ type: 'minor' });
    const kept = process.memoryUsage().arrayBuffers - begin;
    assert.ok(kept < 5_000_000, `${kept} bytes are kept`);
  });
});
