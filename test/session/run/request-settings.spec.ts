import assert from 'node:assert/strict';
import { PhotonImage } from '@silvia-odwyer/photon-node';
import type { SimpleStreamOptions } from '@mariozechner/pi-ai';
import { Rig, type RigOptions } from '../../support/conversation-rig';
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
    await rig.chat.submit('look', { images: [image, { ...image, data: 'aG8=' }] });
    const [request] = model.requests;
    const told = {
      options: options[0],
      content: request?.messages[0]?.content,
      kept: rig.conversation.run.agent.messages[1],
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

  /** What the model gets of a wide image in the prompt, and of one in a tool's result. */
  async function wideImages(settings: NonNullable<RigOptions['settings']>) {
    const pixels = new PhotonImage(new Uint8Array(2500 * 10 * 4), 2500, 10);
    const wide = {
      type: 'image',
      mimeType: 'image/png',
      data: Buffer.from(pixels.get_bytes()).toString('base64'),
    } as const;
    const tool = `export default pi => pi.registerTool({ name: 'shot', label: 'shot', description: '', parameters: { type: 'object' },
      execute: async () => ({ content: [${JSON.stringify(wide)}], details: undefined }) });`;
    const rig = await Rig.open([{ calls: [{ id: '1', name: 'shot', args: {} }] }, { text: 'ok' }], {
      settings,
      extensions: { 'shot.ts': tool },
    });
    await rig.chat.submit('look', { images: [wide] });
    const messages = rig.model.requests[1]?.messages ?? [];
    await rig.close();
    return { text: JSON.stringify(messages), isSame: JSON.stringify(messages).split(wide.data).length === 3 };
  }

  it('makes images of prompts and results small enough, unless the settings say not to', async () => {
    const { text, isSame } = await wideImages({});
    assert.equal(isSame, false);
    assert.equal(text.match(/original 2500x10, displayed at 2000x8/g)?.length, 2);
    assert.equal((await wideImages({ images: { autoResize: false, blockImages: false } })).isSame, true);
  });
});
