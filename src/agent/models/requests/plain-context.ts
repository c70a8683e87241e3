import type { Context, TranscriptContext } from '@mariozechner/pi-ai';
import type { PiAi } from '../pi-ai-module';

/**
 * A request as providers got it before pi-ai 0.86: prompt and tools beside the messages, no system messages among them
 * (docs/models.md).
 */
export function plainContext(piAi: PiAi, { messages }: TranscriptContext): Context {
  const systemPrompt = piAi.getCurrentSystemPrompt(messages);
  const tools = piAi.getCurrentTools(messages);
  return {
    ...(systemPrompt === '' ? {} : { systemPrompt }),
    messages: messages.filter(({ role }) => role !== 'system'),
    ...(tools.length === 0 ? {} : { tools }),
  };
}
