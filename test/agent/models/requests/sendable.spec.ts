import assert from 'node:assert/strict';
import type { Api, AssistantMessage, Context, Message, ToolCall } from '@mariozechner/pi-ai';
import { emptyMessage } from '../../../../src/agent/models/requests/empty-message';
import { nameCalls, sendable } from '../../../../src/agent/models/requests/sendable';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';

const APIS: readonly ScriptedApi[] = ['anthropic-messages', 'openai-completions', 'openai-responses'];

const HIGH = '\ud83d';
const LOW = '\ude00';
const WHOLE = HIGH + LOW;

const model = { id: 'm', provider: 'p', api: 'openai-completions' as Api } as never;

const answer = (...content: AssistantMessage['content']): AssistantMessage => ({
  ...emptyMessage(model),
  content,
  stopReason: 'toolUse',
});
const call = (id: unknown, name: unknown, args: Record<string, unknown> = {}): ToolCall =>
  ({ type: 'toolCall', id, name, arguments: args }) as ToolCall;
const result = (id: unknown, name: unknown): Message =>
  ({
    role: 'toolResult',
    toolCallId: id,
    toolName: name,
    content: [{ type: 'text', text: 'ok' }],
    isError: false,
    timestamp: 1,
  }) as Message;
const user = (text: string): Message => ({ role: 'user', content: text, timestamp: 1 });
const tool = (description: string, parameters: object): NonNullable<Context['tools']>[number] => ({
  name: 't',
  description,
  parameters,
});

const NO_TEXTS: readonly unknown[] = ['', null, undefined, 5, {}];

describe('a request without what providers refuse', () => {
  it('has no half of a surrogate pair in arguments of calls, also in names of members and in lists', () => {
    const args = { text: `a${HIGH}b`, [`k${LOW}`]: [LOW, { deep: `${HIGH}${HIGH}${LOW}` }], fine: WHOLE, n: 1 };
    const given = answer(call('1', 'write', args));
    const { messages } = sendable({ messages: [given, result('1', 'write')] });
    assert.deepEqual((messages[0] as AssistantMessage).content, [
      call('1', 'write', { text: 'a\ufffdb', 'k\ufffd': ['\ufffd', { deep: `\ufffd${WHOLE}` }], fine: WHOLE, n: 1 }),
    ]);
    assert.equal((given.content[0] as ToolCall).arguments['text'], `a${HIGH}b`); // The session keeps what came.
  });

  it('has none in the prompt and in descriptions and schemas of tools', () => {
    const parameters = { type: 'object', properties: { [`x${HIGH}`]: { description: `d${LOW}`, enum: [HIGH] } } };
    const sent = sendable({ systemPrompt: `p${HIGH}`, messages: [], tools: [tool(`t${LOW}${WHOLE}`, parameters)] });
    assert.equal(JSON.stringify(sent).includes('\\ud8'), false);
    assert.equal(sent.systemPrompt, 'p\ufffd');
    assert.equal(sent.tools?.[0]?.description, `t\ufffd${WHOLE}`);
    assert.deepEqual(sent.tools[0].parameters, {
      type: 'object',
      properties: { 'x\ufffd': { description: 'd\ufffd', enum: ['\ufffd'] } },
    });
  });

  it('gives calls without an id one, and their results the same, in order', () => {
    for (const none of NO_TEXTS) {
      const { messages } = sendable({
        messages: [
          user('go'),
          answer(call(none, 'a'), call('own', 'b'), call(none, 'c')),
          result(none, 'a'),
          result('own', 'b'),
          result(none, 'c'),
          answer(call(none, 'd')),
          result(none, 'd'),
        ],
      });
      const ids = messages.flatMap(message => {
        if (message.role === 'toolResult') return [message.toolCallId];
        return message.role === 'assistant' ? message.content.map(block => (block as ToolCall).id) : [];
      });
      const [first = '', own = '', third = '', ...results] = ids;
      assert.equal(own, 'own');
      assert.ok(first !== '' && third !== '' && first !== third, JSON.stringify(ids));
      assert.deepEqual(results.slice(0, 3), [first, 'own', third]);
      assert.equal(results[3], results[4]);
      assert.equal(new Set(ids).size, 4);
    }
  });

  it('has only names that a tool can have', () => {
    for (const [given, expected] of [
      ...NO_TEXTS.map(none => [none, 'unnamed'] as const),
      ['my tool.v2/é', 'my_tool_v2__'],
      ['x'.repeat(80), 'x'.repeat(64)],
      [`smile ${WHOLE}${HIGH}`, 'smile___'],
      ['mcp__git__log-2', 'mcp__git__log-2'],
    ] as const) {
      const { messages } = sendable({ messages: [answer(call('1', given)), result('1', given)] });
      const [sent, back] = messages as [AssistantMessage, Extract<Message, { role: 'toolResult' }>];
      assert.equal((sent.content[0] as ToolCall).name, expected);
      assert.equal(back.toolName, expected);
    }
  });

  it('declares arguments as an object where a schema leaves that open', () => {
    const schemas = [{}, { properties: { a: {} } }, { type: 'object' }, { anyOf: [{}] }, { type: ['object', 'null'] }];
    const sent = sendable({ messages: [], tools: schemas.map(schema => tool('d', schema)) });
    assert.deepEqual(
      sent.tools?.map(({ parameters }) => parameters),
      [
        { type: 'object', properties: {} },
        { properties: { a: {} }, type: 'object' },
        { type: 'object', properties: {} },
        { anyOf: [{}], type: 'object', properties: {} },
        { type: 'object', properties: {} },
      ],
    );
  });

  it('keeps all that needs no change as it is, in each request', () => {
    const messages = [user('a'), answer(call('1', 'bash', { command: WHOLE })), result('1', 'bash')];
    const tools = [tool('d', { type: 'object', properties: {} })];
    for (const sent of [sendable({ messages, tools }), sendable({ messages, tools })]) {
      sent.messages.forEach((message, at) => assert.equal(message, messages[at]));
      assert.equal(sent.tools?.[0], tools[0]);
    }
    const open = {};
    const made = [1, 2].map(() => sendable({ messages: [], tools: [tool('d', open)] }).tools?.[0]?.parameters);
    assert.equal(made[0], made[1]);
  });

  it('gives calls of an answer ids and names where they have none', () => {
    for (const none of NO_TEXTS) {
      const given = answer(call(none, none), call(none, 'bash'), call('own', 'bash'));
      nameCalls({ type: 'done', reason: 'toolUse', message: given });
      const [first, second, third] = given.content as ToolCall[];
      assert.match(first?.id ?? '', /^call_[\w-]{36}$/);
      assert.match(second?.id ?? '', /^call_[\w-]{36}$/);
      assert.notEqual(first?.id, second?.id);
      assert.deepEqual([first?.name, second?.name, third?.id], ['unnamed', 'bash', 'own']);
    }
  });

  it('gives a call its id as soon as it is complete, and the same one at the end', () => {
    const partial = answer({ type: 'text', text: 'x' }, call('', ''));
    const toolCall = call('', '');
    nameCalls({ type: 'toolcall_end', contentIndex: 1, toolCall, partial });
    assert.deepEqual(partial.content[1], toolCall);
    nameCalls({ type: 'done', reason: 'toolUse', message: partial });
    assert.deepEqual(partial.content[1], toolCall);
    assert.equal(toolCall.name, 'unnamed');
  });

  for (const api of APIS) {
    it(`is what ${api} gets of a conversation that has all of it`, async () => {
      const llm = await ScriptedLlm.start();
      try {
        llm.reply({ text: 'ok' });
        const own = llm.model(api);
        const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
        const from = { api: own.api, provider: own.provider, model: own.id };
        const context: Context = {
          systemPrompt: `p${HIGH}`,
          messages: [
            user('go'),
            { ...answer(call('', 'my tool.v2/é', { text: HIGH }), call(null, '', {})), ...from },
            result('', 'my tool.v2/é'),
            result(null, ''),
            user('on'),
          ],
          tools: [tool(`d${LOW}`, { description: HIGH })],
        };
        const reply = await stream(own, context).result();
        assert.equal(reply.stopReason, 'stop', reply.errorMessage);
        const body = JSON.stringify(llm.requests[0]?.body);
        assert.doesNotMatch(body, /\\ud[89a-f]/i);
        assert.match(body, /"my_tool_v2__"/);
        assert.match(body, /"unnamed"/);
        assert.match(body, /"properties":\{\}/);
        assert.doesNotMatch(body, /"(?:id|call_id|tool_call_id|tool_use_id|name)":(?:""|null)/);
      } finally {
        await llm.stop();
      }
    });
  }
});
