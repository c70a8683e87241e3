import { dataFrame, type Frame, type WireReply } from './reply';

/** The events of OpenAI's responses API for one reply. */
export function responsesFrames(reply: WireReply): Frame[] {
  const frames: Frame[] = [];
  const send = (type: string, rest: Readonly<Record<string, unknown>>): void => {
    frames.push(dataFrame({ type, ...rest }, type));
  };

  send('response.created', { response: { id: reply.id, status: 'in_progress' } });
  if (reply.thinking.length > 0) sendReasoning(reply, send);
  if (reply.text.length > 0) sendText(reply, send);
  reply.toolCalls.forEach((call, index) => {
    const item = { type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.name };
    const text = call.pieces.join('');
    const at = { output_index: index + 2, item_id: item.id };
    send('response.output_item.added', { output_index: at.output_index, item: { ...item, arguments: '' } });
    for (const delta of call.pieces) send('response.function_call_arguments.delta', { ...at, delta });
    send('response.function_call_arguments.done', { ...at, arguments: text });
    send('response.output_item.done', { output_index: at.output_index, item: { ...item, arguments: text } });
  });
  const { input, output, cacheRead, cacheWrite } = reply.usage;
  send('response.completed', {
    response: {
      id: reply.id,
      status: reply.stopReason === 'length' ? 'incomplete' : 'completed',
      usage: {
        input_tokens: input + cacheRead + cacheWrite,
        output_tokens: output,
        total_tokens: input + cacheRead + cacheWrite + output,
        input_tokens_details: { cached_tokens: cacheRead },
      },
    },
  });
  return frames;
}

type Send = (type: string, rest: Readonly<Record<string, unknown>>) => void;

function sendReasoning(reply: WireReply, send: Send): void {
  const item = { type: 'reasoning', id: `rs_${reply.id}` };
  const part = { type: 'summary_text', text: '' };
  send('response.output_item.added', { output_index: 0, item: { ...item, summary: [] } });
  const at = { output_index: 0, item_id: item.id };
  send('response.reasoning_summary_part.added', { ...at, part });
  for (const delta of reply.thinking) send('response.reasoning_summary_text.delta', { ...at, delta });
  const summary = [{ ...part, text: reply.thinking.join('') }];
  send('response.output_item.done', { output_index: 0, item: { ...item, summary } });
}

function sendText(reply: WireReply, send: Send): void {
  const item = { type: 'message', id: `msg_${reply.id}`, role: 'assistant' };
  const part = { type: 'output_text', text: '', annotations: [] };
  send('response.output_item.added', { output_index: 1, item: { ...item, content: [] } });
  const at = { output_index: 1, item_id: item.id };
  send('response.content_part.added', { ...at, part });
  for (const delta of reply.text) send('response.output_text.delta', { ...at, delta });
  send('response.output_item.done', {
    output_index: 1,
    item: { ...item, content: [{ ...part, text: reply.text.join('') }] },
  });
}
