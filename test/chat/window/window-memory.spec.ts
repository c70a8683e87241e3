import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import type { Draft } from '../../../src/chat/composer/drafts';
import { WindowMemory } from '../../../src/chat/window/window-memory';
import { Rig, until } from '../../support/conversation-rig';

describe('what a window remembers', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline memory '));
  });

  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is there again: drafts with all that is attached, and the list of sessions', async () => {
    const memory = await WindowMemory.load(join(dir, 'new'), silentLog);
    const draft: Draft = {
      text: 'ä half',
      images: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }],
      files: [{ name: 'a.txt', text: 'A' }],
      editing: { entry: 'e1', was: 'before', before: { text: 'older', images: [] } },
    };
    memory.keepDraft('one.jsonl', draft);
    memory.keepDraft('two.jsonl', { text: 'x', images: [] });
    memory.keepDraft('two.jsonl', { text: '', images: [] });
    memory.keepOpen({ shown: '/a', sessions: [{ file: '/a', unread: false }] });
    await memory.flush();
    const again = await WindowMemory.load(join(dir, 'new'), silentLog);
    assert.deepEqual(again.draft('one.jsonl'), draft);
    assert.deepEqual(again.draft('two.jsonl'), { text: '', images: [] });
    assert.deepEqual(again.open, { shown: '/a', sessions: [{ file: '/a', unread: false }] });
    assert.equal(readdirSync(join(dir, 'new')).length, 2, 'an empty draft leaves no file');
  });

  it('reads images that were stored without a type', async () => {
    const stored = { mimeType: 'image/png', data: 'AAAA' };
    const before = { text: 'older', images: [stored] };
    const draft = { session: 's', text: 'x', images: [stored], editing: { entry: 'e', was: 'w', before } };
    writeFileSync(join(dir, 'x.draft.json'), JSON.stringify(draft));
    const memory = await WindowMemory.load(dir, silentLog);
    const image = { type: 'image', ...stored };
    assert.deepEqual(memory.draft('s').images, [image]);
    assert.deepEqual(memory.draft('s').editing?.before.images, [image]);
  });

  it('survives what it cannot read, and says so', async () => {
    mkdirSync(join(dir, 'bad'));
    writeFileSync(join(dir, 'bad', 'open-sessions.json'), '{"sessions": 3}');
    writeFileSync(join(dir, 'bad', 'x.draft.json'), '{"session":');
    const told: string[] = [];
    const memory = await WindowMemory.load(join(dir, 'bad'), { ...silentLog, warn: text => told.push(text) });
    assert.equal(memory.open, undefined);
    assert.equal(told.length, 2);
  });

  it('brings back conversations, the shown one first, with drafts and marks, also one that was never sent', async () => {
    const first = await Rig.open([{ text: 'one' }], { remembers: true, resume: true });
    const { root } = first;
    await first.chat.submit('in the first');
    const file = first.conversation.store.getSessionFile();
    first.chat.composer.text = 'left in the first';
    await first.conversations.openBeside();
    first.chat.composer.text = 'never sent';
    const unborn = first.conversation.store.getSessionFile();
    await first.close(true);
    const second = await Rig.open([], { root, remembers: true, resume: true });
    try {
      assert.equal(second.conversation.store.getSessionFile(), unborn);
      assert.equal(second.chat.composer.text, 'never sent');
      await second.conversations.restored;
      const other = second.conversations.all[0];
      assert.equal(other?.conversation.store.getSessionFile(), file);
      assert.equal(other?.composer.text, 'left in the first');
      assert.deepEqual(
        second.conversations.tabs.map(({ title, state, shown }) => ({ title, state, shown })),
        [
          { title: 'in the first', state: 'idle', shown: false },
          { title: '', state: 'idle', shown: true },
        ],
      );
    } finally {
      await second.close();
    }
  });

  it('keeps that a run was not seen', async () => {
    const first = await Rig.open([{ text: 'one' }, { text: 'two' }], { remembers: true, resume: true });
    const { root, chat } = first;
    await chat.submit('seen');
    await first.conversations.openBeside();
    await chat.submit('unseen');
    await until(() => (first.conversations.tabs[0]?.state === 'unread' ? true : undefined), 'the mark');
    first.chat.composer.text = 'so that it comes back';
    await first.close(true);
    const second = await Rig.open([], { root, remembers: true, resume: true });
    try {
      await second.conversations.restored;
      assert.equal(second.conversations.tabs.find(({ title }) => title === 'seen')?.state, 'unread');
    } finally {
      await second.close();
    }
  });
});
