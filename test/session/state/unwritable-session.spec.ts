import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Rig, until } from '../../support/conversation-rig';

describe('a session that cannot be written', () => {
  it('is told in the chat, once, naming the file; the conversation goes on', async () => {
    const rig = await Rig.open([{ text: 'one' }, { text: 'two' }]);
    try {
      const dir = rig.conversation.store.getSessionDir();
      rmSync(dir, { recursive: true, force: true });
      mkdirSync(dirname(dir), { recursive: true });
      writeFileSync(dir, 'a file where the folder should be');
      await rig.chat.submit('first');
      const notice = await until(() => rig.items('notice').find(item => item.level === 'error'), 'the notice');
      assert.match(`${notice.text} ${notice.file?.path ?? ''}`, /session|ENOTDIR|EEXIST/i);
      await rig.chat.submit('second');
      assert.equal(rig.items('assistant').at(-1)?.blocks[0]?.text, 'two');
      rmSync(dir);
    } finally {
      await rig.close();
    }
  });

  for (const what of ['folder', 'lock'] as const) {
    it(`goes on when its ${what} is deleted, and holds all that was said`, async () => {
      const rig = await Rig.open([{ text: 'one' }, { text: 'two' }]);
      try {
        await rig.chat.submit('first');
        await rig.conversation.store.flush();
        const file = rig.conversation.store.getSessionFile() ?? '';
        rmSync(what === 'folder' ? dirname(file) : `${file}.lock`, { recursive: true });
        await rig.chat.submit('second');
        assert.equal(rig.items('assistant').at(-1)?.blocks[0]?.text, 'two');
        await rig.conversation.store.flush();
        const text = readFileSync(file, 'utf8');
        for (const part of ['first', 'one', 'second', 'two']) assert.ok(text.includes(`"${part}"`), part);
        const told = rig.items('notice').filter(({ text: said }) => said.includes('deleted by another program'));
        assert.equal(told.length, what === 'folder' ? 1 : 0);
        const errors = rig
          .items('notice')
          .filter(({ level, text: said }) => level === 'error' && !told.some(one => one.text === said));
        assert.deepEqual(errors, []);
      } finally {
        await rig.close();
      }
    });
  }

  it('is opened with a real model also when nothing of its file can be read, and keeps the file', async () => {
    const first = await Rig.open([{ text: 'one' }]);
    await first.chat.submit('first');
    await first.conversation.store.flush();
    const file = first.conversation.store.getSessionFile() ?? '';
    await first.close(true);
    const rubbish = Buffer.from([0, 255, 1, 2]);
    writeFileSync(file, rubbish);
    const rig = await Rig.open([], { root: first.root, resume: true });
    try {
      assert.deepEqual(rig.conversation.store.access.kind, 'read');
      assert.ok(rig.items('notice').some(({ text }) => text.startsWith('This session can only be read')));
      await rig.chat.submit('second');
      assert.deepEqual(readFileSync(file), rubbish);
    } finally {
      await rig.close();
    }
  });
});
