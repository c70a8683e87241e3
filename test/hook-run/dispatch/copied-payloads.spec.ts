/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import { emptyMessage } from '../../../src/agent/models/requests/empty-message';
import { hook, hostWith, type Foreign } from '../../support/hook-host';

describe('payloads that hooks write into', () => {
  it('are copies: a streamed answer stays as the model gave it', async () => {
    const seen: unknown[] = [];
    const host = await hostWith([
      hook('ext', pi => {
        pi.on('message_update', (event: Foreign) => {
          seen.push(event.assistantMessageEvent.partial.content[0].text);
          event.assistantMessageEvent.type = 'changed';
          event.assistantMessageEvent.partial.content[0].text = 'changed';
        });
      }),
    ]);
    const message = emptyMessage({ api: 'openai-completions', provider: 'p', id: 'm' });
    message.content.push({ type: 'text', text: 'so far' });
    const delta: AssistantMessageEvent = { type: 'text_delta', contentIndex: 0, delta: 'far', partial: message };
    await host.emit({ type: 'message_update', message, assistantMessageEvent: delta });
    assert.deepEqual(seen, ['so far']);
    assert.equal(delta.type, 'text_delta');
    assert.deepEqual(message.content, [{ type: 'text', text: 'so far' }]);
    await host.host.dispose();
  });

  it('are copies: the result of a tool changes by an answer only', async () => {
    const host = await hostWith([
      hook('ext', pi => {
        pi.on('tool_result', (event: Foreign) => {
          event.content[0].text = 'changed';
          event.content.push({ type: 'text', text: 'more' });
          event.details.lines = 9;
          event.input.command = 'changed';
        });
      }),
    ]);
    const input = { command: 'ls' };
    const content = [{ type: 'text' as const, text: 'a' }];
    const details = { lines: 1 };
    const result = await host.emit({
      type: 'tool_result',
      toolCallId: 't',
      toolName: 'bash',
      input,
      content,
      details,
      isError: false,
    });
    assert.deepEqual([input, content, details], [{ command: 'ls' }, [{ type: 'text', text: 'a' }], { lines: 1 }]);
    assert.deepEqual(result.content, [{ type: 'text', text: 'a' }]);
    await host.host.dispose();
  });
});
