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
      await rig.conversation.ports.hooks.commands.runAndShow('see', '', rig.conversation.forHooks);
      await until(() => (rig.items('assistant').length > 0 ? true : undefined), 'the answer');
      const [, first] = rig.conversation.run.agent.messages;
      assert.deepEqual(first?.role === 'user' && first.content, [{ type: 'text', text: 'look\nat this' }, PICTURE]);
      const heard = rig.conversation.store.getEntries().find(({ type }) => type === 'custom');
      assert.equal((heard as { data?: unknown } | undefined)?.data, 'look\nat this');
    } finally {
      await rig.close();
    }
  });

  it('or a result with a picture in another form is refused by name, and neither is lost nor sent', async () => {
    const other = "{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }";
    const call = { id: 'c', name: 'bash', args: { command: 'echo found' } };
    const rig = await Rig.open([{ calls: [call] }, { text: 'one' }], {
      extensions: {
        'see.ts': `export default pi => {
          pi.on('tool_result', () => ({ content: [${other}] }));
          pi.on('agent_start', () => { pi.sendMessage({ customType: 'see', content: [${other}], display: true }); });
        };`,
      },
    });
    const told: string[] = [];
    rig.host.onError(({ event, message }) => {
      told.push(`${event}: ${message}`);
    });
    try {
      await rig.chat.submit('go');
      const results = rig.conversation.run.agent.messages.filter(
        ({ role }) => role === 'toolResult' || role === 'custom',
      );
      assert.deepEqual(
        results.map(message => 'content' in message && message.content),
        [[{ type: 'text', text: 'found\n' }]],
      );
      assert.deepEqual(told, [
        'send_message: "content" must be a string or an array of text and image parts',
        'tool_result: returned a wrong shape: "content" must be an array of text and image parts, not of something else',
      ]);
    } finally {
      await rig.close();
    }
  });

  it('without words or a type is sent, as in pi', async () => {
    const rig = await Rig.open([{ text: 'one' }, { text: 'two' }], {
      extensions: {
        'mark.ts': `export default pi => {
          pi.on('before_agent_start', () => ({ message: { customType: 'start', content: null, display: true } }));
          pi.on('agent_end', () => { pi.sendMessage({ display: true, details: { ok: true } }); });
        };`,
      },
    });
    const told: string[] = [];
    rig.host.onError(({ message }) => told.push(message));
    try {
      await rig.chat.submit('go');
      await rig.chat.submit('again');
      const marks = rig.conversation.run.agent.messages.filter(({ role }) => role === 'custom');
      assert.deepEqual(
        marks.map(message => 'customType' in message && [message.customType, message.content]),
        [
          ['start', []],
          ['message', []],
          ['start', []],
          ['message', []],
        ],
      );
      assert.deepEqual(rig.items('assistant').length, 2);
      assert.deepEqual(told, []);
    } finally {
      await rig.close();
    }
  });
});
