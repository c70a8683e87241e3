import { dataFrame, type Frame, type WireReply } from './reply';

const STOP_REASONS = { stop: 'stop', length: 'length', toolUse: 'tool_calls' } as const;

/** The chunks of Mistral's chat API for one reply. */
export function mistralFrames(reply: WireReply): Frame[] {
  const chunk = (delta: unknown, finish_reason: string | null = null, usage?: unknown): Frame =>
    dataFrame({
      id: reply.id,
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: reply.model,
      choices: [{ index: 0, delta, finish_reason }],
      ...(usage === undefined ? {} : { usage }),
    });
  const frames = [chunk({ role: 'assistant', content: '' })];
  for (const text of reply.thinking) {
    frames.push(chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }));
  }
  for (const content of reply.text) frames.push(chunk({ content }));
  reply.toolCalls.forEach(({ id, name, pieces }, index) => {
    for (const piece of pieces) {
      frames.push(chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: piece } }] }));
    }
  });
  const { input, output, cacheRead, cacheWrite } = reply.usage;
  const prompt = input + cacheRead + cacheWrite;
  const usage = { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
  frames.push(chunk({ content: '' }, STOP_REASONS[reply.stopReason], usage), 'data: [DONE]');
  return frames;
}
