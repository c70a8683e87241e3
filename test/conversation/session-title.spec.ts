import assert from 'node:assert/strict';
import { Rig } from '../support/conversation-rig';

describe('the title of a conversation', () => {
  it('is nothing, then how its first message begins, then the name it was given', async () => {
    const rig = await Rig.open([{ text: 'yes' }, { text: 'again' }]);
    try {
      assert.equal(rig.chat.status.title, '');
      const told: string[] = [];
      rig.chat.onDidChangeStatus(({ phase, title }) => told.push(`${phase.type}: ${title}`));
      await rig.chat.submit('look at\n  the   gate');
      await rig.chat.submit('and then?');
      assert.ok(told.includes('running: look at the gate'), told.join('\n'));
      assert.equal(told.at(-1), 'idle: look at the gate');
      rig.chat.rename('Gates');
      assert.equal(rig.chat.status.title, 'Gates');
    } finally {
      await rig.close();
    }
  });

  it('is short, and cuts no character in two', async () => {
    const rig = await Rig.open([{ text: 'yes' }]);
    try {
      await rig.chat.submit(`${'x'.repeat(58)}😀${'y'.repeat(1000)}`);
      assert.equal(rig.chat.status.title, `${'x'.repeat(58)}…`);
    } finally {
      await rig.close();
    }
  });
});
