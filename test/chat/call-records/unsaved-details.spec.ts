import assert from 'node:assert/strict';
import type { AgentMessage } from '../../../src/agent/messages';
import { Rig } from '../../support/conversation-rig';

const ODD = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default function (pi: ExtensionAPI) {
  pi.registerTool({ name: "odd", label: "odd", description: "", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "r" }], details: { n: 10n } }) });
}`;

describe('a tool result whose details are no JSON', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  it('is saved without them, and that is told', async () => {
    rig = await Rig.open([{ calls: [{ id: 'c', name: 'odd', args: {} }] }, { text: 'done' }], {
      extensions: { 'odd.ts': ODD },
    });
    await rig.chat.submit('go');
    const saved = rig.conversation.store.getEntries().flatMap(entry => {
      const { message } = entry as { readonly message?: AgentMessage };
      return message === undefined ? [] : [message];
    });
    assert.deepEqual(
      saved.map(message => message.role),
      ['system', 'user', 'assistant', 'toolResult', 'assistant'],
    );
    assert.deepEqual(saved[3]?.role === 'toolResult' && saved[3].content, [{ type: 'text', text: 'r' }]);
    const [notice] = rig.items('notice');
    assert.equal(notice?.level, 'warning');
    assert.match(notice.text, /^The details of the result of odd are not in the session: .*BigInt/);
  });
});

describe('the chat page', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  it('may send anything without harm', async () => {
    rig = await Rig.open([]);
    const page = rig.page();
    for (const odd of [undefined, null, () => 1, 10n, { type: 'no such' }]) page.send(odd);
    page.dispose();
  });
});
