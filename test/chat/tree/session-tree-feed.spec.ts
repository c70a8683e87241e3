import assert from 'node:assert/strict';
import { SessionTreeFeed } from '../../../src/chat/tree/session-tree-feed';
import type { HostToTree, TreeEntry } from '../../../src/protocol/pages/session-tree';
import { Rig } from '../../support/conversation-rig';
import { answer, type Script } from '../../support/scripted-stream';

const SAYS: readonly Script[] = [
  { text: 'one' },
  { calls: [{ id: 'c1', name: 'bash', args: { command: 'echo hi' } }] },
  { text: 'two' },
  { text: 'three' },
];

describe('the feed of a session tree', function () {
  this.timeout(20_000);
  let rig: Rig;
  let feed: SessionTreeFeed;
  let sent: HostToTree[];

  beforeEach(async () => {
    rig = await Rig.open(SAYS);
    sent = [];
    feed = new SessionTreeFeed(rig.chat, message => sent.push(message));
  });

  afterEach(async () => {
    feed.dispose();
    await rig.close();
  });

  const entries = (): TreeEntry[] => sent.flatMap(message => (message.type === 'entries' ? message.entries : []));
  const leaf = (): string | null | undefined => {
    const last = sent.findLast(message => message.type === 'leaf');
    return last?.type === 'leaf' ? last.id : undefined;
  };
  const words = (): string[] => entries().map(({ kind, text }) => `${kind} ${text}`);

  it('tells everything that people see, each hanging on what they see before it, then the leaf', async () => {
    await rig.chat.submit('first');
    await rig.chat.submit('second');
    const { store } = rig.conversation;
    store.appendCustomEntry('state', { secret: true });
    feed.start();
    await feed.whenSent;
    assert.deepEqual(words(), [
      'user first',
      'assistant one',
      'user second',
      'assistant bash echo hi',
      'tool bash: hi',
      'assistant two',
    ]);
    const drawn = entries();
    assert.deepEqual(
      drawn.map(({ parent }) => drawn.findIndex(({ id }) => id === parent)),
      [-1, 0, 1, 2, 3, 4],
    );
    assert.equal(leaf(), drawn.at(-1)?.id);
  });

  it('then tells only what changes: answers, labels, and where the conversation is', async () => {
    await rig.chat.submit('first');
    feed.start();
    await feed.whenSent;
    const [first, one] = entries();
    sent.length = 0;
    await rig.chat.submit('second');
    assert.deepEqual(words(), ['user second', 'assistant bash echo hi', 'tool bash: hi', 'assistant two']);
    assert.equal(leaf(), entries().at(-1)?.id);
    rig.conversation.store.appendLabelChange(first!.id, 'begin');
    rig.conversation.store.appendLabelChange(first!.id, undefined);
    assert.deepEqual(
      sent.filter(({ type }) => type === 'label'),
      [
        { type: 'label', id: first!.id, label: 'begin' },
        { type: 'label', id: first!.id, label: null },
      ],
    );
    await rig.conversation.tree.navigate(one!.id);
    assert.equal(leaf(), one!.id);
    await rig.chat.submit('another');
    assert.equal(entries().find(({ text }) => text === 'another')?.parent, one!.id);
    assert.ok(sent.every(message => message.type !== 'entries' || !message.replace));
  });

  it('says of failed answers what failed, and gives summaries and answers without their marks', async () => {
    const { store } = rig.conversation;
    const said = [
      answer({ stopReason: 'error', errorMessage: '529 overloaded_error: Overloaded' }),
      answer({ stopReason: 'error' }),
      answer({ stopReason: 'aborted' }),
      answer({ text: '## Plan\n\n- **Read** `parse_it()` in [the file](src/a.ts)\n1. 2 * 3 * 4' }),
    ];
    for (const message of said) store.appendMessage(message);
    const first = store.getNodes()[0]!.id;
    store.branchWithSummary(first, '# Goal\n\n> Keep __all__ of `it`\n\n```ts\nconst a_b = 1;\n```');
    feed.start();
    await feed.whenSent;
    assert.deepEqual(words(), [
      'assistant Failed: 529 overloaded_error: Overloaded',
      'assistant Failed',
      'assistant Stopped',
      'assistant Plan Read parse_it() in the file 2 * 3 * 4',
      'summary Goal Keep all of it const a_b = 1;',
    ]);
  });

  it('begins anew with another session, and marks an entry once it is sent', async () => {
    await rig.chat.submit('first');
    feed.start();
    await feed.whenSent;
    await rig.conversation.sessions.newSession();
    await feed.whenSent;
    assert.equal(leaf(), null);
    await rig.chat.submit('second');
    const id = entries().at(-1)!.id;
    sent.length = 0;
    feed.start();
    feed.select(id);
    feed.select('nowhere');
    feed.select(id);
    await feed.whenSent;
    await Promise.resolve();
    assert.deepEqual(
      sent.map(({ type }) => type),
      ['entries', 'leaf', 'select'],
    );
  });

  it('tells a long session in batches and lets others run', async () => {
    const { store } = rig.conversation;
    for (let n = 0; n < 5000; n++) store.appendMessage({ role: 'user', content: `message ${n}`, timestamp: 1 });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    feed.start();
    await feed.whenSent;
    clearInterval(counting);
    assert.equal(entries().length, 5000);
    const batches = sent.filter(({ type }) => type === 'entries');
    assert.ok(batches.length >= 10, `${batches.length} batches`);
    assert.deepEqual(
      batches.map(message => message.type === 'entries' && message.done),
      [...batches.slice(1).map(() => false), true],
    );
    assert.ok(turns > 0);
  });
});
