import type { Api, AssistantMessage, Model } from '@mariozechner/pi-ai';

/** An assistant message of a model before its first content: no content, no usage, `stopReason` "stop". */
export function emptyMessage(model: Pick<Model<Api>, 'api' | 'provider' | 'id'>): AssistantMessage {
  return {
    role: 'assistant',
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: Date.now(),
  };
}
