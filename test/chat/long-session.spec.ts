import assert from 'node:assert/strict';
import { Rig } from '../support/conversation-rig';

describe('a session with more messages than the chat draws', () => {
  let rig: Rig;
  beforeEach(async () => (rig = await Rig.open([])));
  afterEach(() => rig.close());

  const told = (omitted: number): readonly string[] => {
    rig.conversation.events.fire({ type: 'transcript', parts: [], omitted });
    return rig.items('notice').map(({ text }) => text);
  };

  it('says how many it leaves out, also of one, and nothing when it draws all', () => {
    assert.deepEqual(told(0), []);
    assert.deepEqual(told(1), ['1 earlier message of this session is not shown.']);
    assert.equal(told(2).at(-1), '2 earlier messages of this session are not shown.');
  });
});
