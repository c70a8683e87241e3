import assert from 'node:assert/strict';
import type { AgentMessage } from '../../../src/agent/messages';
import { spentOn } from '../../../src/conversation/session/session-stats';
import { assistant, user } from '../../agent/session/support';

const costing = (total: number): AgentMessage => {
  const message = assistant('x');
  return { ...message, usage: { ...message.usage, cost: { ...message.usage.cost, total } } };
};

describe('what a conversation cost', () => {
  it('is the sum of its answers, also when more come and when it begins anew', () => {
    const messages = [user('a'), costing(1), costing(2)];
    assert.equal(spentOn(messages), 3);
    assert.equal(spentOn(messages), 3);
    messages.push(user('b'), costing(4));
    assert.equal(spentOn(messages), 7);
    assert.equal(spentOn([costing(8)]), 8);
    messages.length = 2;
    assert.equal(spentOn(messages), 1);
  });
});
