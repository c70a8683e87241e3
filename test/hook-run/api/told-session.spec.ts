import assert from 'node:assert/strict';
import { SessionStore } from '../../../src/agent/session/store';
import type { SessionTreeNode } from '../../../src/agent/session/tree';
import { sessionManagerView } from '../../../src/hook-run/api/aliases';
import { ext } from '../../../src/hook-contract/dialects/ext';
import { pi } from '../../../src/hook-contract/dialects/pi';
import { indexOnPath, keptIdAt, v1View } from '../../../src/hook-contract/session/session-view';
import { visibleIndex } from '../../../src/hook-contract/session/visible-session';
import { FakeConversation } from '../../support/fake-conversation';
import { assistant, user } from '../../agent/session/support';

const USAGE = { type: 'usage', kind: 'cache_warm', provider: 'p', model: 'm', usage: {} } as const;
const system = (text: string) => ({ role: 'system', content: '', sections: { preamble: text }, timestamp: 1 }) as const;

/** Later entries between, before and behind all others, on two branches. */
function newerSession() {
  const store = SessionStore.inMemory('/w');
  const prompt = store.appendMessage(system('You are one.'));
  const first = store.appendMessage(user('one'));
  const edit = store.appendContextEdit(first, { content: 'other' });
  const answer = store.appendMessage(assistant('first'));
  const patch = store.appendMessage(system('You are two.'));
  const second = store.appendMessage(user('two'));
  const compaction = store.appendCompaction({ summary: 'so far', firstKeptEntryId: patch, tokensBefore: 9 });
  const used = store.appendRaw(USAGE);
  store.branch(edit);
  const other = store.appendMessage(assistant('another first'));
  store.branch(used);
  return { store, prompt, first, edit, answer, patch, second, compaction, used, other };
}

describe('a session as files of the older dialects know it', () => {
  const made = newerSession();
  const { store, prompt, first, edit, answer, patch, second, compaction, used, other } = made;
  const told = sessionManagerView(store, ext) as SessionStore;
  const parents = (entries: readonly { readonly id: string; readonly parentId: string | null }[]) =>
    entries.map(({ id, parentId }) => [id, parentId]);

  it('has no later entry, and each other one hangs on one that it has', () => {
    const path = [
      [first, null],
      [answer, first],
      [second, answer],
      [compaction, second],
    ];
    assert.deepEqual(parents(told.getEntries()), [...path, [other, first]]);
    assert.deepEqual(parents(told.getBranch()), path);
    assert.deepEqual(parents(told.getPath(second)), path.slice(0, 3));
    assert.deepEqual(parents(told.getChildren(first)), [
      [answer, first],
      [other, first],
    ]);
    assert.deepEqual(parents(told.getChildren(null)), [[first, null]]);
    for (const hidden of [prompt, edit, patch, used]) assert.equal(told.getEntry(hidden), undefined);
    assert.equal(told.getEntry(second)?.parentId, answer);
    assert.equal(told.getLeafId(), compaction);
    assert.equal(told.getLeafEntry()?.id, compaction);
  });

  it('is the same as a tree', () => {
    const shape = (nodes: readonly SessionTreeNode[]): unknown => nodes.map(n => [n.entry.id, shape(n.children)]);
    assert.deepEqual(shape(told.getTree()), [
      [
        first,
        [
          [answer, [[second, [[compaction, []]]]]],
          [other, []],
        ],
      ],
    ]);
  });

  it('holds compactions without the prompt and the usage in them', () => {
    const whole = SessionStore.inMemory('/w');
    const id = whole.appendCompaction({
      summary: 's',
      firstKeptEntryId: null,
      tokensBefore: 1,
      extra: { systemMessage: system('You are one.'), usage: {}, mine: 1 },
    });
    const entry = (sessionManagerView(whole, ext) as SessionStore).getEntry(id)!;
    assert.deepEqual(Object.keys(entry).sort(), [
      'firstKeptEntryId',
      'id',
      'mine',
      'parentId',
      'summary',
      'timestamp',
      'tokensBefore',
      'type',
    ]);
    assert.ok('systemMessage' in whole.getEntry(id)!, 'the session itself keeps them');
  });

  it('tells no system message in its context, and the edited text', () => {
    store.branch(second);
    const context = told.buildSessionContext();
    assert.deepEqual(
      context.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    assert.deepEqual(context.entryIds, [first, answer, second]);
    assert.ok(context.messages[0]?.role === 'user' && context.messages[0].content === 'other');
    store.branch(used);
  });

  it('is counted without them, and indices mean the real entries', () => {
    class Conversation extends FakeConversation {
      override get sessionManager(): object {
        return store;
      }
    }
    const conversation = new Conversation();
    const view = v1View(conversation);
    assert.deepEqual(
      view.slice(1).map(entry => entry.id),
      [first, answer, second, compaction],
    );
    assert.equal(view[4]?.['firstKeptEntryIndex'], 3, 'what it kept begins with a later entry: the next one counts');
    assert.equal(keptIdAt(view, 3), second);
    assert.equal(indexOnPath(conversation, patch), 3);
    assert.equal(visibleIndex(store.getBranch(), 5), 2);
  });

  it('is whole for files of the dialect pi', () => {
    const whole = sessionManagerView(store, pi) as SessionStore;
    assert.deepEqual(whole.getEntries(), store.getEntries());
    assert.equal(whole.getLeafId(), used);
  });

  it('writes as the session does', () => {
    const id = told.appendCustomEntry('mine', 1);
    assert.equal(store.getEntry(id)?.parentId, used, 'on the real leaf');
    assert.equal(told.getEntry(id)?.parentId, compaction);
  });
});
