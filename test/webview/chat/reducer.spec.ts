import assert from 'node:assert/strict';
import type { ChatItem, ToolItem } from '../../../src/protocol/items/chat-item';
import type { HostToWebview } from '../../../src/protocol/messages';
import { EMPTY_STATE, reduce, type ChatState } from '../../../webview/chat/reducer';

const answer: ChatItem = { kind: 'assistant', id: 'a', blocks: [], model: 'Demo (offline)', state: 'streaming' };
const question: ChatItem = { kind: 'user', id: 'u', text: 'hello', images: [], state: 'sent' };
const tool: ToolItem = {
  kind: 'tool',
  id: 'tool:1',
  toolCallId: '1',
  name: 'bash',
  icon: 'terminal',
  summaryKind: 'command',
  summary: 'ls',
  args: '{}',
  state: { type: 'writing' },
  output: '',
  images: [],
  verdicts: [],
};

function snapshot(revision: number, ...items: ChatItem[]): HostToWebview {
  const { status } = EMPTY_STATE;
  return { type: 'snapshot', revision, conversation: 'c1', items, earlier: 0, status, commands: [], draft: '' };
}

function after(...messages: HostToWebview[]): ChatState {
  return messages.reduce(reduce, EMPTY_STATE);
}

const text = (revision: number, block: number, append: string): HostToWebview => ({
  type: 'text',
  revision,
  id: 'a',
  block,
  blockType: 'text',
  append,
});

describe('webview reducer', () => {
  it('drops changes until a snapshot has come', () => {
    assert.equal(after({ type: 'item', revision: 1, item: question }), EMPTY_STATE);
  });

  it('takes a snapshot whole, also one with a lower revision', () => {
    const state = after(snapshot(9, question), snapshot(2, answer));
    assert.deepEqual([state.sync, state.revision, state.items], ['live', 2, [answer]]);
  });

  it('adds an item, replaces it in place by id, and removes it', () => {
    const added = after(snapshot(0, question), { type: 'item', revision: 1, item: answer });
    assert.deepEqual(added.items, [question, answer]);
    const changed = { ...question, text: 'bye' };
    const replaced = reduce(added, { type: 'item', revision: 2, item: changed });
    assert.deepEqual(replaced.items, [changed, answer]);
    assert.deepEqual(reduce(replaced, { type: 'remove', revision: 3, id: 'u' }).items, [answer]);
  });

  it('appends text to a block and opens the next one', () => {
    const state = after(snapshot(4, answer), text(5, 0, 'Hel'), text(6, 0, 'lo'), {
      type: 'text',
      revision: 7,
      id: 'a',
      block: 1,
      blockType: 'thinking',
      append: 'hm',
    });
    assert.deepEqual(state.items[0]?.kind === 'assistant' && state.items[0].blocks, [
      { type: 'text', text: 'Hello' },
      { type: 'thinking', text: 'hm' },
    ]);
  });

  it('appends tool output, resets it, and changes the state of the tool', () => {
    const state = after(
      snapshot(0, tool),
      { type: 'output', revision: 1, id: 'tool:1', append: 'one', reset: false },
      { type: 'output', revision: 2, id: 'tool:1', append: ' two', reset: false },
      { type: 'toolState', revision: 3, id: 'tool:1', state: { type: 'done', durationMs: 3 } },
    );
    assert.deepEqual(state.items[0], { ...tool, output: 'one two', state: { type: 'done', durationMs: 3 } });
    const reset = reduce(state, { type: 'output', revision: 4, id: 'tool:1', append: 'tail', reset: true });
    assert.equal(reset.items[0]?.kind === 'tool' && reset.items[0].output, 'tail');
  });

  it('keeps the identity of items that did not change and leaves the old state alone', () => {
    const before = after(snapshot(0, question, answer));
    const next = reduce(before, text(1, 0, 'x'));
    assert.equal(next.items[0], before.items[0]);
    assert.notEqual(next.items[1], before.items[1]);
    assert.deepEqual(before.items[1], answer);
  });

  it('is lost after a gap, ignores what follows, and lives again with the next snapshot', () => {
    const lost = after(snapshot(3, answer), text(5, 0, 'x'));
    assert.equal(lost.sync, 'lost');
    assert.equal(reduce(lost, text(6, 0, 'y')), lost);
    assert.equal(reduce(lost, snapshot(6, answer)).sync, 'live');
  });

  it('ignores a change that it has seen', () => {
    const state = after(snapshot(3, answer), text(4, 0, 'x'));
    assert.equal(reduce(state, text(4, 0, 'x')), state);
  });

  const unfit: [string, HostToWebview][] = [
    ['text for an unknown item', { ...text(1, 0, 'x'), id: 'nobody' } as HostToWebview],
    ['text for a tool', { ...text(1, 0, 'x'), id: 'tool:1' } as HostToWebview],
    ['text for a block beyond the next', text(1, 2, 'x')],
    ['text for a block below zero', text(1, -1, 'x')],
    ['output for an answer', { type: 'output', revision: 1, id: 'a', append: 'x', reset: false }],
    ['a tool state for an answer', { type: 'toolState', revision: 1, id: 'a', state: { type: 'writing' } }],
  ];
  for (const [name, message] of unfit) {
    it(`is lost at ${name}`, () => {
      assert.equal(after(snapshot(0, answer, tool), message).sync, 'lost');
    });
  }

  it('follows status and commands, and counts composer messages without keeping their text', () => {
    const status = { ...EMPTY_STATE.status, model: 'm' };
    const state = after(
      snapshot(0),
      { type: 'status', revision: 1, status },
      { type: 'commands', revision: 2, commands: [{ name: 'new', description: '', source: 'built-in' }] },
      { type: 'composer', revision: 3, text: 'x', mode: 'replace', draft: 'x' },
    );
    assert.deepEqual([state.status, state.commands.length, state.revision], [status, 1, 3]);
  });
});
