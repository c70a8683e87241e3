import assert from 'node:assert/strict';
import { convertToLlm, serializeConversation } from '../../src/agent/llm-messages';
import type { AgentMessage, BashExecutionMessage } from '../../src/agent/messages';
import { assistant, user } from './session/support';

const bash = (fields: Partial<BashExecutionMessage>): BashExecutionMessage => ({
  role: 'bashExecution',
  command: 'ls',
  output: 'a\nb',
  exitCode: 0,
  cancelled: false,
  truncated: false,
  timestamp: 7,
  ...fields,
});
const said = (message: AgentMessage): string => {
  const [converted] = convertToLlm([message]);
  const content = converted?.role === 'user' ? converted.content : undefined;
  return Array.isArray(content) && content[0]?.type === 'text' ? content[0].text : '(none)';
};

describe('conversion for the model', () => {
  it('passes what the model knows as it is', () => {
    const messages = [user('x'), assistant('y')];
    assert.deepEqual(convertToLlm(messages), messages);
    assert.equal(convertToLlm(messages)[0], messages[0]);
  });

  it('follows a list that grows, shrinks, or gets other messages in their places', () => {
    const list: AgentMessage[] = [user('one'), bash({ excludeFromContext: true })];
    assert.deepEqual(convertToLlm(list), [user('one')]);
    list.push(assistant('two'));
    assert.deepEqual(convertToLlm(list), [user('one'), assistant('two')]);
    list[0] = user('other');
    assert.deepEqual(convertToLlm(list), [user('other'), assistant('two')]);
    list.length = 1;
    assert.deepEqual(convertToLlm(list), [user('other')]);
  });

  it('gives a list that is its own, every time', () => {
    const list = [user('one')];
    convertToLlm(list).length = 0;
    assert.deepEqual(convertToLlm(list), [user('one')]);
  });

  it('tells commands of the user, not those meant for the person only', () => {
    assert.equal(said(bash({})), 'Ran `ls`\n```\na\nb\n```');
    assert.equal(said(bash({ output: '' })), 'Ran `ls`\n(no output)');
    assert.equal(said(bash({ exitCode: 2 })), 'Ran `ls`\n```\na\nb\n```\n\nCommand exited with code 2');
    assert.equal(
      said(bash({ exitCode: undefined, cancelled: true })),
      'Ran `ls`\n```\na\nb\n```\n\n(command cancelled)',
    );
    assert.match(
      said(bash({ truncated: true, fullOutputPath: '/t/o.log' })),
      /\n\n\[Output truncated\. Full output: \/t\/o\.log\]$/,
    );
    assert.deepEqual(convertToLlm([bash({ excludeFromContext: true })]), []);
    assert.equal(said(bash({ exitCode: null as never })), 'Ran `ls`\n```\na\nb\n```');
  });

  it('tells messages of hooks, shown or not, also by their older name', () => {
    const custom = { role: 'custom' as const, customType: 'n', content: 'look', display: false, timestamp: 1 };
    assert.equal(said(custom), 'look');
    assert.equal(said({ ...custom, role: 'hookMessage' } as never), 'look');
    const parts = [{ type: 'image' as const, data: 'x', mimeType: 'image/png' }];
    assert.deepEqual(convertToLlm([{ ...custom, content: parts }])[0]?.content, parts);
  });

  it('wraps summaries', () => {
    assert.equal(
      said({ role: 'compactionSummary', summary: 'sum', tokensBefore: 1, timestamp: 1 }),
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nsum\n</summary>',
    );
    assert.match(
      said({ role: 'branchSummary', summary: 'sum', fromId: 'x', timestamp: 1 }),
      /\n\n<summary>\nsum\n<\/summary>$/,
    );
  });

  it('drops roles it does not know', () =>
    assert.deepEqual(convertToLlm([{ role: 'martian', content: 'x' } as never]), []));
});

describe('transcript', () => {
  it('tells who said what', () => {
    const message = assistant('answer');
    message.content.unshift({ type: 'thinking', thinking: 'hm' });
    message.content.push({ type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'a', limit: 2 } });
    const result = { role: 'toolResult' as const, toolCallId: 'c', toolName: 'read', isError: false, timestamp: 1 };
    const text = serializeConversation([
      user('question'),
      user(''),
      message,
      {
        ...result,
        content: [
          { type: 'text', text: 'x'.repeat(2005) },
          { type: 'image', data: '', mimeType: '' },
        ],
      },
    ]);
    assert.equal(
      text,
      `[User]: question\n\n[Assistant thinking]: hm\n\n[Assistant]: answer\n\n[Assistant tool calls]: read(path="a", limit=2)\n\n[Tool result]: ${'x'.repeat(2000)}\n\n[... 5 more characters truncated]`,
    );
  });
});
