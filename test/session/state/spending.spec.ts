import assert from 'node:assert/strict';
import { EDITOR_API } from '../../../src/agent/models/editor-models';
import { emptyMessage } from '../../../src/agent/models/requests/empty-message';
import type { AgentMessage, AssistantMessage } from '../../../src/agent/messages';
import { asEntryId, type StoredEntry } from '../../../src/agent/session/entry';
import { isContextEstimated, SpendingMeter } from '../../../src/session/state/spending';
import { Rig } from '../../support/conversation-rig';

const answer = (input: number, change: Partial<AssistantMessage> = {}): AssistantMessage => {
  const message = emptyMessage({ api: 'openai-completions', provider: 'p', id: 'm' });
  const cost = { input: input / 400, output: 0.5, cacheRead: 0, cacheWrite: 0, total: input / 400 + 0.5 };
  return {
    ...message,
    usage: { input, output: 5, cacheRead: 2, cacheWrite: 1, totalTokens: input + 8, cost },
    ...change,
  };
};
const stored = (message: AgentMessage): StoredEntry => ({
  type: 'message',
  id: asEntryId('e'),
  parentId: null,
  timestamp: '',
  message,
});
const user: AgentMessage = { role: 'user', content: 'hello', timestamp: 1 };

describe('what a session used', () => {
  it('is the sum of its answers by kind, and nothing before the first', () => {
    const meter = new SpendingMeter();
    const session = {};
    meter.follow(session, () => [stored(user)], false);
    assert.deepEqual([meter.current], [undefined]);
    meter.add(answer(100));
    meter.add(user);
    meter.add(answer(200));
    assert.deepEqual(meter.current, {
      input: 300,
      output: 10,
      cacheRead: 4,
      cacheWrite: 2,
      cost: { input: 0.75, output: 1, cacheRead: 0, cacheWrite: 0, total: 1.75 },
      answers: 2,
      estimated: false,
      partial: false,
    });
    meter.follow(session, () => [stored(answer(1))], false);
    assert.equal(meter.current.answers, 2, 'another branch of the same session takes nothing away');
    meter.follow({}, () => [stored(answer(1))], true);
    assert.deepEqual([meter.current.answers, meter.current.partial], [1, true]);
  });

  it('is marked when a part of it was guessed', () => {
    const meter = new SpendingMeter();
    meter.add(answer(1));
    assert.equal((meter.current as { readonly estimated: boolean }).estimated, false);
    meter.add(answer(1, { api: EDITOR_API }));
    meter.add(answer(1));
    assert.equal(meter.current?.estimated, true);
  });

  it('survives a compaction and a restart', async () => {
    const rig = await Rig.open([{ text: 'one' }, { text: 'the summary' }, { text: 'two' }], {
      settings: { compaction: { enabled: true, reserveTokens: 10, keepRecentTokens: 1 } },
    });
    let again: Rig | undefined;
    try {
      await rig.chat.submit('first');
      await rig.conversation.run.compact();
      await rig.chat.submit('second');
      const { usage } = rig.chat.status.current;
      assert.equal(usage?.answers, 2);
      assert.ok(usage.input > 0);
      await rig.close(true);
      again = await Rig.open([], { root: rig.root, resume: true });
      assert.deepEqual(again.chat.status.current.usage, usage);
    } finally {
      await (again ?? rig).close();
    }
  });
});

describe('the size of the context', () => {
  it('is a guess until a provider counted all of it', () => {
    assert.equal(isContextEstimated([]), false);
    assert.equal(isContextEstimated([user]), true);
    assert.equal(isContextEstimated([user, answer(100)]), false);
    assert.equal(isContextEstimated([user, answer(100), user]), true);
    assert.equal(isContextEstimated([user, answer(100, { api: EDITOR_API })]), true);
  });
});
