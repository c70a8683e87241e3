import assert from 'node:assert/strict';
import type { AssistantItem, ChatItem, GateItem } from '../../../src/protocol/items/chat-item';
import type { RunStatus } from '../../../src/protocol/messages';
import { announcements } from '../../../webview/chat/announce';
import { EMPTY_STATE, type ChatState } from '../../../webview/chat/reducer';

const live = (items: readonly ChatItem[], phase: RunStatus['phase'] = { type: 'idle' }): ChatState => ({
  ...EMPTY_STATE,
  sync: 'live',
  conversation: 'c',
  items,
  status: { ...EMPTY_STATE.status, phase },
});
const hook = { path: '/h/gate.ts', name: 'gate.ts' };
const gate: GateItem = {
  kind: 'gate',
  id: 'g',
  hook,
  title: 'Dangerous',
  message: 'rm -rf build',
  dialog: { type: 'confirm' },
  state: { type: 'open' },
};
const answer: AssistantItem = {
  kind: 'assistant',
  id: 'a',
  blocks: [{ type: 'text', text: 'Hello' }],
  model: 'm',
  state: 'streaming',
};
const tool = (state: Extract<ChatItem, { kind: 'tool' }>['state']): ChatItem => ({
  kind: 'tool',
  id: 't',
  toolCallId: 't',
  name: 'bash',
  icon: 'terminal',
  summaryKind: 'command',
  summary: '',
  args: '',
  state,
  output: '',
  images: [],
  verdicts: [],
});

describe('announcements', () => {
  it('says nothing of old items in a snapshot but a question that is open', () => {
    const done = { ...answer, state: 'done' } as const;
    assert.deepEqual(announcements(EMPTY_STATE, live([done, gate])), ['gate.ts asks: Dangerous rm -rf build']);
  });

  it('asks once, and not for a question that waits its turn', () => {
    const open = live([gate]);
    assert.deepEqual(announcements(live([]), live([{ ...gate, state: { type: 'queued' } }])), []);
    assert.equal(announcements(live([{ ...gate, state: { type: 'queued' } }]), open).length, 1);
    assert.deepEqual(announcements(open, live([{ ...gate }])), []);
  });

  it('does not read single tokens, but the finished answer', () => {
    const longer = { ...answer, blocks: [{ type: 'text', text: 'Hello world' }] } as const;
    assert.deepEqual(announcements(live([answer]), live([longer])), []);
    assert.deepEqual(announcements(live([answer]), live([{ ...answer, state: 'done' }])), ['Answer: Hello']);
    assert.deepEqual(announcements(live([answer]), live([{ ...answer, state: 'error', error: 'no key' }])), [
      'The answer failed: no key',
    ]);
  });

  it('names who blocked a tool, and why', () => {
    const blocked = tool({ type: 'blocked', by: hook, reason: 'not here' });
    assert.deepEqual(announcements(live([tool({ type: 'writing' })]), live([blocked])), [
      'bash blocked by gate.ts: not here',
    ]);
  });

  it('says when work begins, is retried and ends', () => {
    const running = live([], { type: 'running', message: 'Thinking' });
    const retry = live([], { type: 'retrying', attempt: 1, maxAttempts: 3, at: 0, error: 'overloaded' });
    assert.deepEqual(announcements(live([]), running), ['Working']);
    assert.deepEqual(announcements(running, retry), ['Retry 1 of 3 follows: overloaded']);
    assert.deepEqual(announcements(running, live([])), ['Ready']);
  });
});
