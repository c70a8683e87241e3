import assert from 'node:assert/strict';
import type { HostToWebview } from '../../../src/protocol/messages';
import { Rig, until } from '../../support/conversation-rig';

describe('a hidden chat page', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  it('leaves it to the next page to show the item that was chosen meanwhile', async () => {
    rig = await Rig.open([{ text: 'hello' }]);
    await rig.chat.inbox.submit('hi');
    const got: HostToWebview[] = [];
    const page = rig.controller.connect(message => void got.push(message));
    page.receive({ type: 'ready' });
    page.hidden();
    got.length = 0;
    const id = rig.items('user')[0]?.id ?? '';
    assert.ok(rig.chat.reveal(rig.chat.entryOfItem(id) ?? ''));
    page.receive({ type: 'ready' });
    const shown = await until(() => got.find(({ type }) => type === 'reveal'), 'the item');
    const [first] = got;
    assert.ok(first?.type === 'snapshot');
    assert.deepEqual(shown, { type: 'reveal', id, revision: first.revision + 1 });
    page.dispose();
  });
});
