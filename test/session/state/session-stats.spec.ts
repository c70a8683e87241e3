import assert from 'node:assert/strict';
import { SessionStore } from '../../../src/agent/session/store';
import { sessionStats } from '../../../src/session/state/session-stats';
import { assistant, user } from '../../agent/session/support';

const usage = (input: number, total: number) => ({
  input,
  output: 1,
  cacheRead: 2,
  cacheWrite: 3,
  totalTokens: input + 6,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total },
});

describe('the numbers of a session', () => {
  it('are those of the whole session, with all that used a model, as pi counts', () => {
    const store = SessionStore.inMemory('/w');
    store.appendMessage({ role: 'system', content: 'You are a test.', timestamp: 1 });
    const first = store.appendMessage(user('one'));
    const call = { type: 'toolCall', id: 'c', name: 'ask', arguments: {} } as const;
    store.appendMessage({ ...assistant(''), content: [call], usage: usage(10, 1) });
    const result = { role: 'toolResult', toolCallId: 'c', toolName: 'ask', content: [], isError: false, timestamp: 1 };
    store.appendRaw({ type: 'message', message: { ...result, usage: usage(20, 2) } });
    store.appendRaw({ type: 'usage', kind: 'cache_warm', provider: 'p', model: 'm', usage: usage(40, 4) });
    store.appendCompaction({ summary: 's', firstKeptEntryId: null, tokensBefore: 1, usage: usage(80, 8) });
    store.branchWithSummary(first, 'left', undefined, undefined, usage(160, 16));
    store.appendMessage({ ...assistant('other branch'), usage: usage(320, 32) });
    store.appendRaw({ type: 'message', message: { role: 'oracle', usage: usage(9999, 9999) } });
    store.appendRaw({ type: 'usage', kind: 'odd', provider: 'p', model: 'm', usage: { input: 'many', cost: null } });
    assert.deepEqual(sessionStats(store), {
      sessionFile: undefined,
      sessionId: store.getSessionId(),
      userMessages: 1,
      assistantMessages: 2,
      toolCalls: 1,
      toolResults: 1,
      totalMessages: 6,
      tokens: { input: 630, output: 6, cacheRead: 12, cacheWrite: 18, total: 666 },
      cost: 63,
    });
  });
});
