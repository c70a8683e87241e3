import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Rig, until } from '../../support/conversation-rig';

describe('a session that cannot be written', () => {
  it('is told in the chat, once, naming the file; the conversation goes on', async () => {
    const rig = await Rig.open([{ text: 'one' }, { text: 'two' }]);
    try {
      const dir = rig.chat.store.getSessionDir();
      rmSync(dir, { recursive: true, force: true });
      mkdirSync(dirname(dir), { recursive: true });
      writeFileSync(dir, 'a file where the folder should be');
      await rig.chat.inbox.submit('first');
      const notice = await until(() => rig.items('notice').find(item => item.level === 'error'), 'the notice');
      assert.match(`${notice.text} ${notice.file?.path ?? ''}`, /session|ENOTDIR|EEXIST/i);
      await rig.chat.inbox.submit('second');
      assert.equal(rig.items('assistant').at(-1)?.blocks[0]?.text, 'two');
      rmSync(dir);
    } finally {
      await rig.close();
    }
  });
});
