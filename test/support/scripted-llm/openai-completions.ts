import { dataFrame, type Frame, type WireReply } from './reply';

const STOP_REASONS = { stop: 'stop', length: 'length', toolUse: 'tool_calls' } as const;

/** The chunks of OpenAI's chat completions API for one reply. */
export function completionsFrames(reply: WireReply): Frame[] {
  const chunk = (choices: readonly unknown[], usage?: unknown): Frame =>
    dataFrame({
      id: reply.id,
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: reply.model,
      choices,
      ...(usage === undefined ? {} : { usage }),
    });
  const delta = (content: unknown, finish: string | null = null): Frame =>
    chunk([{ index: 0, delta: content, finish_reason: finish }]);

  const frames = [delta({ role: 'assistant', content: '' })];
  for (const reasoning_content of reply.thinking) frames.push(delta({ reasoning_content }));
  for (const content of reply.text) frames.push(delta({ content }));
  reply.toolCalls.forEach((call, index) => {
    frames.push(
      delta({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
    );
    for (const piece of call.pieces) frames.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
  });
  frames.push(delta({}, reply.declines === true ? 'content_filter' : STOP_REASONS[reply.stopReason]));
  const { input, output, cacheRead, cacheWrite } = reply.usage;
  frames.push(
    chunk([], {
      prompt_tokens: input + cacheRead + cacheWrite,
      completion_tokens: output,
      total_tokens: input + cacheRead + cacheWrite + output,
      prompt_tokens_details: { cached_tokens: cacheRead + cacheWrite, cache_write_tokens: cacheWrite },
    }),
  );
  frames.push('data: [DONE]');
  return frames;
}
