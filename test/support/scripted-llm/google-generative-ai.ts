import { dataFrame, type Frame, type WireReply } from './reply';

/** The chunks of Google's `streamGenerateContent` for one reply; calls of tools arrive whole, in one chunk each. */
export function googleFrames(reply: WireReply): Frame[] {
  const chunk = (parts: readonly unknown[], finishReason?: string, usageMetadata?: unknown): Frame =>
    dataFrame({
      responseId: reply.id,
      modelVersion: reply.model,
      candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
      ...(usageMetadata === undefined ? {} : { usageMetadata }),
    });
  const { input, output, cacheRead, cacheWrite } = reply.usage;
  const prompt = input + cacheRead + cacheWrite;
  return [
    ...reply.thinking.map(text => chunk([{ text, thought: true }])),
    ...reply.text.map(text => chunk([{ text }])),
    ...reply.toolCalls.map(({ id, name, pieces }) => {
      const args: unknown = JSON.parse(pieces.join(''));
      return chunk([{ functionCall: { id, name, args } }]);
    }),
    chunk([], reply.stopReason === 'length' ? 'MAX_TOKENS' : 'STOP', {
      promptTokenCount: prompt,
      cachedContentTokenCount: cacheRead,
      candidatesTokenCount: output,
      totalTokenCount: prompt + output,
    }),
  ];
}
