import assert from 'node:assert/strict';
import type { SimpleStreamOptions } from '@mariozechner/pi-ai';
import { Rig } from '../../support/conversation-rig';
import { ScriptedStream } from '../../support/scripted-stream';

describe("what pi's settings say of requests", () => {
  async function ask(settings: Readonly<Record<string, unknown>>) {
    const model = new ScriptedStream({ text: 'one' }, { text: 'two' });
    const options: SimpleStreamOptions[] = [];
    const rig = await Rig.open([], {
      home: { '.pi/agent/settings.json': JSON.stringify(settings) },
      stream: (given, context, more) => {
        options.push(more);
        return model.stream(given, context, more);
      },
    });
    const image = { type: 'image', mimeType: 'image/png', data: 'aGk=' } as const;
    await rig.chat.inbox.submit('look', { images: [image, image] });
    const [request] = model.requests;
    const told = {
      options: options[0],
      content: request?.messages[0]?.content,
      kept: rig.chat.run.agent.messages[0],
    };
    await rig.close();
    return told;
  }

  it('reaches the client: transport, thinking budgets, the longest wait that a server may ask for', async () => {
    const thinkingBudgets = { low: 1000, high: 9000 };
    const { options } = await ask({ transport: 'sse', thinkingBudgets, retry: { maxDelayMs: 1234 } });
    assert.deepEqual(
      [options?.transport, options?.thinkingBudgets, options?.maxRetryDelayMs],
      ['sse', thinkingBudgets, 1234],
    );
  });

  for (const [settings, expected] of [
    [{}, [0, 60_000, 300_000]],
    [{ httpIdleTimeoutMs: 5, retry: { provider: { maxRetries: 2, maxRetryDelayMs: 0 } } }, [2, 0, 5]],
    [{ httpIdleTimeoutMs: 'disabled' }, [0, 60_000, 2 ** 31 - 1]],
    [{ httpIdleTimeoutMs: 5, retry: { provider: { timeoutMs: 7 } } }, [0, 60_000, 7]],
  ] as const) {
    it(`reaches the client: tries, longest wait and time limit with ${JSON.stringify(settings)}`, async () => {
      const { options } = await ask(settings);
      assert.deepEqual([options?.maxRetries, options?.maxRetryDelayMs, options?.timeoutMs], expected);
    });
  }

  it('keeps images from the model and in the conversation when they are blocked', async () => {
    const open = await ask({});
    assert.equal(JSON.stringify(open.content).match(/"image"/g)?.length, 2);
    const { content, kept } = await ask({ images: { blockImages: true } });
    assert.deepEqual(content, [
      { type: 'text', text: 'look' },
      { type: 'text', text: 'Image reading is disabled.' },
    ]);
    assert.equal(JSON.stringify(kept).match(/"image"/g)?.length, 2);
  });
});
