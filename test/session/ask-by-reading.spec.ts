import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askByReading, lacksRealModel } from '../../src/session/ask-by-reading';
import { Rig } from '../support/conversation-rig';

describe('a question to an agent that may only read', () => {
  let rig: Rig;
  afterEach(() => rig.close());
  const file = { name: 'a.ts', text: 'old;\n' };

  it('runs no tool that changes a file or starts a program, and gives all tools back with the answer', async () => {
    rig = await Rig.open(
      [
        {
          calls: [
            { id: '1', name: 'write', args: { path: 'a.ts', content: 'new;\n' } },
            { id: '2', name: 'edit', args: { path: 'a.ts', edits: [{ oldText: 'old', newText: 'new' }] } },
            { id: '3', name: 'bash', args: { command: 'touch b.ts' } },
            { id: '4', name: 'read', args: { path: 'a.ts' } },
          ],
        },
        { text: 'done' },
      ],
      { files: { 'a.ts': 'old;\n' } },
    );
    const before = rig.conversation.toolset.activeNames();
    assert.equal(await askByReading(rig.conversation, 'convert @a.ts', [file]), 'done');
    assert.equal(readFileSync(join(rig.cwd, 'a.ts'), 'utf8'), 'old;\n');
    assert.equal(existsSync(join(rig.cwd, 'b.ts')), false);
    const results = rig.conversation.run.agent.messages.filter(message => message.role === 'toolResult');
    assert.deepEqual(
      results.map(({ isError }) => isError),
      [true, true, true, false],
    );
    assert.deepEqual(rig.conversation.toolset.activeNames(), before);
    const names = rig.model.requests.map(({ tools = [] }) => tools.map(({ name }) => name));
    assert.ok(names.every(each => each.includes('read') && !each.some(name => /^(write|edit|bash)$/.test(name))));
  });

  it('sends files beside the text, in which nothing is a mention', async () => {
    rig = await Rig.open([{ text: 'done' }], { files: { 'a.ts': 'on disk' } });
    await askByReading(rig.conversation, 'convert @a.ts', [file]);
    const sent = JSON.stringify(rig.model.requests[0]?.messages);
    assert.ok(sent.includes('<file name=\\"a.ts\\">\\nold;') && !sent.includes('on disk'), sent);
  });

  it('has no answer when the agent fails, is stopped or runs out of tokens', async () => {
    for (const reply of [
      { stopReason: 'error', errorMessage: 'no such model' },
      { stopReason: 'aborted', errorMessage: 'aborted' },
      { text: '```ts\nhalf', stopReason: 'length' },
    ] as const) {
      rig = await Rig.open([reply]);
      assert.equal(await askByReading(rig.conversation, 'convert', [file]), undefined, reply.stopReason);
      if (reply.stopReason !== 'length') await rig.close();
    }
  });

  it('is possible with a model that has a key', async () => {
    rig = await Rig.open([]);
    assert.equal(await lacksRealModel(rig.conversation), false);
    assert.deepEqual(rig.items('notice'), []);
  });

  it('is refused without a key, with the way to set one', async () => {
    rig = await Rig.open([], { hasKey: false, settings: { defaultProvider: 'test', defaultModel: 'scripted' } });
    assert.equal(await lacksRealModel(rig.conversation), true);
    const [notice] = rig.items('notice');
    assert.match(notice?.text ?? '', /^No API key is known for test/);
    assert.deepEqual(
      notice?.actions?.map(({ command }) => command),
      ['setApiKey'],
    );
  });

  it('is refused with the demo model, with the ways to another one', async () => {
    rig = await Rig.open([], { models: [] });
    assert.equal(rig.chat.status.current.demo, true);
    assert.equal(await lacksRealModel(rig.conversation), true);
    const [notice] = rig.items('notice');
    assert.equal(notice?.text, 'The demo model cannot do this.');
    assert.deepEqual(
      notice.actions?.map(({ command }) => command),
      ['pickModel', 'setApiKey'],
    );
  });
});
