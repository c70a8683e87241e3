import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import { emptyMessage } from '../../../../src/agent/models/requests/empty-message';
import { isTooDeep, JsonDepth, withShortErrors } from '../../../../src/agent/models/requests/reply-bounds';
import { createStreamFn, type ServeModel } from '../../../../src/agent/models/requests/stream';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';

const CONTEXT = { messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }] };
const APIS: readonly ScriptedApi[] = [
  ...(['anthropic-messages', 'openai-completions', 'openai-responses', 'google-generative-ai'] as const),
  'mistral-conversations',
];

function nested(depth: number, open: string, close: string): string {
  return open.repeat(depth) + close.repeat(depth);
}

describe('the bounds of a reply', function () {
  this.timeout(30_000);
  let llm: ScriptedLlm;
  beforeEach(async () => {
    llm = await ScriptedLlm.start();
  });
  afterEach(() => llm.stop());

  for (const [kind, delta] of [
    ['of long pieces', 'x'.repeat(100_000)],
    ['of empty pieces', ''],
  ] as const) {
    it(`end an endless text ${kind}: the reply is an error, and the provider hears of it`, async () => {
      let heard: AbortSignal | undefined;
      const serve: ServeModel = async function* (model, _context, { signal }): AsyncGenerator<AssistantMessageEvent> {
        heard = signal;
        const partial = { ...emptyMessage(model), content: [{ type: 'text' as const, text: 'kept' }] };
        for (let count = 1; signal?.aborted !== true; count++) {
          yield { type: 'text_delta', contentIndex: 0, delta, partial };
          if (count % 100 === 0) await setImmediate();
        }
      };
      const ask = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'k' }), serve: () => serve });
      const message = await ask(llm.model(), CONTEXT).result();
      assert.equal(message.stopReason, 'error');
      assert.match(message.errorMessage ?? '', /longer than 8 million characters/);
      assert.deepEqual(message.content, [{ type: 'text', text: 'kept' }]);
      assert.equal(heard?.aborted, true);
    });
  }

  it('end the body of an error that goes on for ever, and its connection', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const closed = new Promise<void>(resolve =>
      server.once('connection', socket => socket.once('close', () => resolve())),
    );
    const send = withShortErrors(fetch);
    const response = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    assert.deepEqual([response.status, (await response.text()).length], [500, 64 * 1024]);
    await closed;
    server.close();
  });

  it('leave a short error, and a reply that is none, as they are', async () => {
    const short = withShortErrors(() => Promise.resolve(new Response('why', { status: 400 })));
    assert.equal(await (await short('http://x')).text(), 'why');
    const long = withShortErrors(() => Promise.resolve(new Response('y'.repeat(100_000))));
    assert.equal((await (await long('http://x')).text()).length, 100_000);
  });

  for (const api of APIS) {
    it(`refuse arguments that are nested 1,500 deep: ${api}`, async () => {
      const deep = JSON.parse(`{"a":${nested(1_500, '[', ']')}}`) as Record<string, unknown>;
      llm.reply({ text: 'I run it.', toolCalls: [{ name: 'bash', arguments: deep }] });
      const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
      const message = await stream(llm.model(api), CONTEXT, { idleTimeoutMs: 20_000 }).result();
      assert.equal(message.stopReason, 'error');
      assert.match(message.errorMessage ?? '', /arguments of tool "bash" are nested too deep\. The call was not made/);
      assert.ok(message.content.every(block => block.type !== 'toolCall' || !isTooDeep(block.arguments)));
    });
  }

  it('tell depth in values and texts, not in strings, however a text is cut', () => {
    const isTooDeepText = (text: string): boolean => {
      const [whole, pieces] = [new JsonDepth(), new JsonDepth()];
      const isDeep = whole.isTooDeepWith(text);
      assert.equal(
        Array.from(text).some(sign => pieces.isTooDeepWith(sign)),
        isDeep,
      );
      return isDeep;
    };
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const middle = open === '[' ? '' : '1';
      const text = (depth: number): string => open.repeat(depth) + middle + close.repeat(depth);
      assert.deepEqual([isTooDeepText(text(499)), isTooDeep(JSON.parse(text(499)))], [false, false]);
      assert.deepEqual([isTooDeepText(text(5_000)), isTooDeep(JSON.parse(text(5_000)))], [true, true]);
      assert.equal(isTooDeepText(open.repeat(5_000)), true, 'cut');
    }
    assert.equal(isTooDeepText(JSON.stringify({ text: '[{\\"'.repeat(5_000) })), false);
    assert.equal(isTooDeepText(`{"text":"${'['.repeat(5_000)}`), false, 'cut within a string');
    assert.equal(isTooDeepText(`[${'[],'.repeat(5_000)}1]`), false);
  });
});
