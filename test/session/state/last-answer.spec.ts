import assert from 'node:assert/strict';
import type { AgentMessage } from '../../../src/agent/messages';
import { lastAnswerText } from '../../../src/session/state/session-stats';
import { NO_USAGE } from '../../../src/agent/session/usage';

type Answer = Extract<AgentMessage, { role: 'assistant' }>;

function answer(text: string, stopReason: Answer['stopReason'], content: Answer['content'] = []): Answer {
  const parts: Answer['content'] = text === '' ? content : [{ type: 'text', text }, ...content];
  return {
    role: 'assistant',
    content: parts,
    stopReason,
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: { ...NO_USAGE, totalTokens: 0 },
    timestamp: 0,
  };
}

const call: Answer['content'] = [{ type: 'toolCall', id: '1', name: 'ls', arguments: {} }];
const question: AgentMessage = { role: 'user', content: 'q', timestamp: 0 };

describe('the last answer that is copied', () => {
  for (const [what, messages, text] of [
    ['is empty without answers', [question], ''],
    ['is the last one with text', [answer('one', 'stop'), question, answer('two', 'stop')], 'two'],
    [
      'is not one that was stopped during a tool call',
      [answer('one', 'stop'), answer('', 'toolUse', call), answer('', 'aborted')],
      'one',
    ],
    ['is not one that failed', [answer('one', 'stop'), answer(' ', 'error')], 'one'],
    ['is one that was stopped after some text', [answer('one', 'stop'), answer('tw', 'aborted')], 'tw'],
    ['is text before a tool call', [answer('one', 'stop'), answer('I look', 'toolUse', call)], 'I look'],
    ['is empty where the model ended normally and said nothing', [answer('one', 'stop'), answer('', 'stop')], ''],
  ] as const) {
    it(what, () => assert.equal(lastAnswerText(messages), text));
  }
});
