import { dataFrame, type Frame, type WireReply } from './reply';

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', toolUse: 'tool_use' } as const;

/** The events of Anthropic's messages API for one reply. */
export function anthropicFrames(reply: WireReply): Frame[] {
  const frames: Frame[] = [];
  let index = 0;
  const send = (type: string, rest: Readonly<Record<string, unknown>>): void => {
    frames.push(dataFrame({ type, ...rest }, type));
  };
  const block = (
    start: Readonly<Record<string, unknown>>,
    deltas: readonly Readonly<Record<string, unknown>>[],
  ): void => {
    send('content_block_start', { index, content_block: start });
    for (const delta of deltas) send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
    index += 1;
  };

  send('message_start', {
    message: {
      id: reply.id,
      type: 'message',
      role: 'assistant',
      model: reply.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: reply.usage.input,
        output_tokens: 1,
        cache_read_input_tokens: reply.usage.cacheRead,
        cache_creation_input_tokens: reply.usage.cacheWrite,
      },
    },
  });
  if (reply.thinking.length > 0) {
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...reply.thinking.map(thinking => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: 'scripted-signature' },
    ]);
  }
  if (reply.text.length > 0) {
    block(
      { type: 'text', text: '' },
      reply.text.map(text => ({ type: 'text_delta', text })),
    );
  }
  for (const call of reply.toolCalls) {
    block(
      { type: 'tool_use', id: call.id, name: call.name, input: {} },
      call.pieces.map(partial_json => ({ type: 'input_json_delta', partial_json })),
    );
  }
  send('message_delta', {
    delta: { stop_reason: reply.declines === true ? 'refusal' : STOP_REASONS[reply.stopReason], stop_sequence: null },
    usage: { output_tokens: reply.usage.output },
  });
  send('message_stop', {});
  return frames;
}
