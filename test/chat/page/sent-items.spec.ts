import assert from 'node:assert/strict';
import { findInItems } from '../../../src/chat/page/find-in-items';
import { SentItems } from '../../../src/chat/page/sent-items';
import type { ChatItem } from '../../../src/protocol/items/chat-item';
import type { HostToWebview } from '../../../src/protocol/messages';
import { EMPTY_STATE, reduce, type ChatState } from '../../../webview/chat/reducer';
import { Rig, until } from '../../support/conversation-rig';

const user = (index: number, text = `Question ${index}`): ChatItem => ({
  kind: 'user',
  id: `u${index}`,
  text,
  images: [],
  state: 'sent',
});
const many = (count: number): ChatItem[] => Array.from({ length: count }, (_, index) => user(index));
const ids = (items: readonly ChatItem[]): string[] => items.map(({ id }) => id);

describe('the part of a conversation that a page has', () => {
  it('is its end first, then page by page what comes before', () => {
    const items = many(450);
    const tail = new SentItems();
    const first = tail.restart(items);
    assert.deepEqual([first.items.length, first.earlier, first.items.at(-1)?.id], [200, 250, 'u449']);
    const second = tail.more(items);
    assert.deepEqual([second.items.length, second.earlier, second.items.at(-1)?.id], [200, 50, 'u249']);
    const third = tail.more(items);
    assert.deepEqual([third.items.length, third.earlier, third.items[0]?.id], [50, 0, 'u0']);
    assert.deepEqual(tail.more(items), { items: [], earlier: 0 });
  });

  it('reaches back to a certain item when asked, and by a page when there is no such item', () => {
    const items = many(1000);
    const tail = new SentItems();
    tail.restart(items);
    assert.deepEqual(tail.more(items, 'u100').earlier, 100);
    assert.deepEqual(tail.more(items, 'gone'), { items: items.slice(0, 100), earlier: 0 });
  });

  it('is cut by size too, but never empty', () => {
    const large = Array.from({ length: 5 }, (_, index) => user(index, 'x'.repeat(700_000)));
    const tail = new SentItems();
    assert.deepEqual(ids(tail.restart(large).items), ['u4']);
    assert.deepEqual(ids(tail.more(large).items), ['u3']);
  });

  it('leaves out changes of what it has not', () => {
    const items = many(300);
    const tail = new SentItems();
    tail.restart(items);
    const output = (id: string) => ({ type: 'output', id, append: 'x', reset: false }) as const;
    assert.equal(tail.concerns(output('u5')), false);
    assert.equal(tail.concerns(output('u250')), true);
    assert.equal(tail.concerns({ type: 'item', item: user(5) }), false);
    assert.equal(tail.concerns({ type: 'item', item: user(999) }), true);
    assert.equal(tail.concerns({ type: 'remove', id: 'u5' }), false);
    assert.equal(tail.more(items.filter(({ id }) => id !== 'u5')).items.length, 99);
  });
});

describe('a page of a long conversation', () => {
  it('gets the end, asks for what came before, and ends equal to the host, whatever changed meanwhile', async () => {
    const rig = await Rig.open([]);
    try {
      for (let index = 0; index < 500; index++) rig.chat.model.notice('info', `note ${index}`);
      const page = rig.page();
      const state = (): ChatState => page.got.reduce(reduce, EMPTY_STATE);
      const isLive = (message: HostToWebview): boolean => message.type === 'snapshot';
      assert.ok(page.got.some(isLive));
      assert.deepEqual([state().items.length, state().earlier], [200, 300]);
      const [first, second] = rig.chat.model.items;
      assert.ok(first && second);
      // Changes of both ends while the page asks.
      rig.chat.model.apply({ type: 'remove', id: second.id });
      rig.chat.model.apply({ type: 'item', item: { ...first, text: 'changed' } as ChatItem });
      rig.chat.model.notice('info', 'the newest');
      page.send({ type: 'earlier' });
      assert.equal(state().sync, 'live');
      assert.deepEqual([state().items.length, state().earlier], [401, 99]);
      page.send({ type: 'earlier', through: first.id });
      await until(() => (state().earlier === 0 ? true : undefined), 'all items');
      assert.deepEqual(state().items, rig.chat.model.items);
      page.dispose();
    } finally {
      await rig.close();
    }
  });

  it('is told where a text stands in what it has not', async () => {
    const rig = await Rig.open([]);
    try {
      for (let index = 0; index < 300; index++) {
        rig.chat.model.notice('info', index === 3 ? 'a Needle, a needle' : 'hay');
      }
      const page = rig.page();
      page.send({ type: 'find', request: 7, text: 'needle', matchCase: false });
      const found = page.got.find(message => message.type === 'found');
      assert.deepEqual(found, {
        type: 'found',
        request: 7,
        matches: [{ id: rig.chat.model.items[3]?.id, part: '', count: 2 }],
      });
      page.dispose();
    } finally {
      await rig.close();
    }
  });
});

describe('find in items', () => {
  const items: readonly ChatItem[] = [
    user(1, 'Say (a+b) twice: (a+b)'),
    {
      kind: 'assistant',
      id: 'a',
      model: 'm',
      state: 'done',
      blocks: [
        { type: 'thinking', text: 'hidden Thought' },
        { type: 'text', text: 'İstanbul and THOUGHT' },
      ],
    },
    {
      kind: 'tool',
      id: 't',
      toolCallId: 't',
      name: 'bash',
      icon: 'terminal',
      summaryKind: 'command',
      summary: 'echo red',
      args: '{"command": "echo red"}',
      state: { type: 'blocked', reason: 'too red' },
      output: 'a \u001b]0;title\n\u001b[31mre\u001b[0md word',
      images: [],
      verdicts: [],
    },
  ];

  it('takes the text as it is, in any case or in the one given', () => {
    assert.deepEqual(findInItems(items, '(a+b)', false), [{ id: 'u1', part: '', count: 2 }]);
    assert.deepEqual(
      findInItems(items, 'thought', false).map(({ part }) => part),
      ['thinking/0', ''],
    );
    assert.deepEqual(
      findInItems(items, 'Thought', true).map(({ part }) => part),
      ['thinking/0'],
    );
    assert.deepEqual(findInItems(items, '', false), []);
  });

  it('names the folded part, and reads output without its colours', () =>
    assert.deepEqual(
      findInItems(items, 'red', false).map(({ part }) => part),
      ['', '', 'arguments', 'output'],
    ));

  it('leaves out a title of the terminal that has no end', () =>
    assert.deepEqual(findInItems(items, 'title', false), []));

  it('reads markdown without its marks, but a very long one only as it is written', () => {
    const said = (text: string): ChatItem => ({
      kind: 'assistant',
      id: 'm',
      model: 'm',
      state: 'done',
      blocks: [{ type: 'text', text }],
    });
    assert.deepEqual(findInItems([said('**nee**dle')], 'needle', false), [{ id: 'm', part: '', count: 1 }]);
    const long = `**nee**dle plain ${'['.repeat(1_000_000)}`;
    assert.deepEqual(findInItems([said(long)], 'needle', false), []);
    assert.deepEqual(findInItems([said(long)], 'plain', false), [{ id: 'm', part: '', count: 1 }]);
  });

  it('ends after ten thousand places', () => {
    const found = findInItems([user(1, 'e'.repeat(30_000)), user(2, 'e')], 'e', false);
    assert.deepEqual(found, [{ id: 'u1', part: '', count: 10_000 }]);
  });
});
