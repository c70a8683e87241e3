import assert from 'node:assert/strict';
import type { AssistantMessage, AssistantMessageEvent, Message } from '@mariozechner/pi-ai';
import { nameEditorModels, type EditorModel } from '../../../src/agent/models/editor-models';
import { emptyMessage } from '../../../src/agent/models/requests/empty-message';
import { replayable } from '../../../src/agent/models/requests/replayable';
import { ReplyWriter } from '../../../src/agent/models/requests/reply-writer';

const model = (vendor: string, family: string, id: string, more: Partial<EditorModel> = {}): EditorModel => ({
  vendor,
  family,
  id,
  name: id,
  maxInputTokens: 1000,
  seesImages: false,
  ...more,
});

describe('models of the editor, named for the registry', () => {
  it('are <vendor>/<family>, in one order whatever the order of the editor', () => {
    const models = [model('copilot', 'gpt', 'b'), model('acme', 'x', 'x'), model('copilot', 'gpt', 'a')];
    const names = ['acme/x', 'copilot/gpt', 'copilot/gpt/b'];
    assert.deepEqual(
      nameEditorModels(models).map(({ entry }) => entry.id),
      names,
    );
    assert.deepEqual(
      nameEditorModels(models.toReversed()).map(({ entry }) => entry.id),
      names,
    );
  });

  it('leave out what cannot be named, and sizes that are not known', () => {
    const [only, ...others] = nameEditorModels([
      model('', 'gpt', 'a'),
      model('v', '', 'b'),
      model('v', 'f', 'c', { maxInputTokens: 0, name: '', seesImages: true }),
    ]);
    assert.deepEqual(others, []);
    assert.deepEqual(only?.entry, { id: 'v/f', name: 'v/f', reasoning: false, input: ['text', 'image'] });
  });
});

describe('replayable', () => {
  const user = (content: string): Message => ({ role: 'user', content, timestamp: 1 });
  const reply = (ids: readonly string[], change: Partial<AssistantMessage> = {}): AssistantMessage => ({
    ...emptyMessage({ api: 'x', provider: 'x', id: 'x' }),
    content: ids.map(id => ({ type: 'toolCall', id, name: 'ls', arguments: {} })),
    ...change,
  });
  const result = (toolCallId: string): Message => ({
    role: 'toolResult',
    toolCallId,
    toolName: 'ls',
    content: [],
    isError: false,
    timestamp: 1,
  });
  const told = (messages: readonly Message[]): readonly string[] =>
    replayable(messages).map(message =>
      message.role === 'toolResult' ? `${message.toolCallId}${message.isError ? '!' : ''}` : message.role,
    );

  it('keeps a whole conversation as it is', () => {
    const messages = [user('a'), reply(['1', '2']), result('1'), result('2'), reply([])];
    assert.deepEqual(replayable(messages), messages);
  });

  it('gives every call a result, and drops results without a call and answers that failed', () => {
    assert.deepEqual(told([reply(['1', '2']), result('2'), user('b')]), ['assistant', '2', '1!', 'user']);
    assert.deepEqual(told([reply(['1'])]), ['assistant', '1!']);
    assert.deepEqual(told([result('9'), user('a')]), ['user']);
    assert.deepEqual(told([reply(['1'], { stopReason: 'error' }), result('1'), user('a')]), ['user']);
    assert.deepEqual(told([reply([], { stopReason: 'aborted' }), user('a')]), ['user']);
    assert.deepEqual(told([reply(['1']), result('1'), result('1')]), ['assistant', '1']);
  });
});

describe('ReplyWriter', () => {
  it('writes the events of a provider: one block per stretch of text, whole calls, the right end', () => {
    const events: AssistantMessageEvent[] = [];
    const message = emptyMessage({ api: 'x', provider: 'x', id: 'x' });
    const writer = new ReplyWriter(message, event => events.push(event));
    writer.start();
    writer.text('a');
    writer.text('');
    writer.text('b');
    writer.toolCall({ id: '1', name: 'ls', arguments: { path: '.' } });
    writer.text('c');
    writer.done();
    assert.deepEqual(
      events.map(event => ('contentIndex' in event ? `${event.type} ${event.contentIndex}` : event.type)),
      [
        ...['start', 'text_start 0', 'text_delta 0', 'text_delta 0', 'text_end 0'],
        ...['toolcall_start 1', 'toolcall_delta 1', 'toolcall_end 1', 'text_start 2', 'text_delta 2', 'text_end 2'],
        'done',
      ],
    );
    assert.equal(message.stopReason, 'toolUse');
    assert.deepEqual(
      message.content.map(block => (block.type === 'text' ? block.text : block.type === 'toolCall' && block.arguments)),
      ['ab', { path: '.' }, 'c'],
    );
  });

  it('writes no arguments that are no object', () => {
    for (const given of [null, ['.'], '.', 7, undefined]) {
      const message = emptyMessage({ api: 'x', provider: 'x', id: 'x' });
      const writer = new ReplyWriter(message, () => undefined);
      writer.toolCall({ id: '1', name: 'ls', arguments: given });
      const [call] = message.content.filter(block => block.type === 'toolCall');
      assert.deepEqual(call?.arguments, {});
      assert.equal(call.argumentsError?.endsWith(JSON.stringify(given)), given === undefined ? undefined : true);
    }
  });
});
