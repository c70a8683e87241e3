import assert from 'node:assert/strict';
import { Rig, until } from '../../support/conversation-rig';

const PICTURE = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;

describe('a message of a hook', () => {
  it('with pictures arrives with its words as they are, and tells input handlers the same', async () => {
    const rig = await Rig.open([{ text: 'one' }], {
      extensions: {
        'see.ts': `export default pi => {
          pi.on("input", event => { pi.appendEntry("heard", event.text); });
          pi.registerCommand("see", { handler: async (args, ctx) => {
            pi.sendUserMessage([{ type: "text", text: "look" }, ${JSON.stringify(PICTURE)}, { type: "text", text: "at this" }]);
          } });
        };`,
      },
    });
    try {
      await rig.chat.ports.hooks.commands.runAndShow('see', '', rig.chat.forHooks);
      await until(() => (rig.items('assistant').length > 0 ? true : undefined), 'the answer');
      const [, first] = rig.chat.run.agent.messages;
      assert.deepEqual(first?.role === 'user' && first.content, [{ type: 'text', text: 'look\nat this' }, PICTURE]);
      const heard = rig.chat.store.getEntries().find(({ type }) => type === 'custom');
      assert.equal((heard as { data?: unknown } | undefined)?.data, 'look\nat this');
    } finally {
      await rig.close();
    }
  });
});
