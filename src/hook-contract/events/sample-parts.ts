import type { Api, AssistantMessage, Model } from '@mariozechner/pi-ai';
import type { AgentMessage, UserMessage } from '../../agent/messages';
import type { SampleContext } from './event-row';
import type { EntryLike } from '../hook-event';

/** The time of everything in samples, ms since 1970. */
export const SAMPLE_TIME = Date.UTC(2025, 0, 1);
/** Id of the entry that samples mention. */
export const SAMPLE_ENTRY = 'a1b2c3d4';
/** The id of the tool call in samples. */
export const SAMPLE_CALL = { toolCallId: 'call_sample' } as const;

/** A message of the user. */
export function sampleUser(text: string): UserMessage {
  return { role: 'user', content: sampleText(text), timestamp: SAMPLE_TIME };
}

/** A short answer of the conversation's model. */
export function sampleAnswer(facts: SampleContext): AssistantMessage {
  return {
    role: 'assistant',
    content: sampleText('Done.'),
    api: facts.model?.api ?? 'anthropic-messages',
    provider: facts.model?.provider ?? 'anthropic',
    model: facts.model?.id ?? 'sample',
    usage: {
      input: 120,
      output: 8,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 128,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: SAMPLE_TIME,
  };
}

/** The conversation's messages, or a question and its answer. */
export function sampleMessages(facts: SampleContext): readonly AgentMessage[] {
  return facts.messages.length > 0 ? facts.messages : [sampleUser('List the files here.'), sampleAnswer(facts)];
}

/** An entry of the session. */
export function sampleEntry(type: string, more: object = {}): EntryLike {
  return { type, id: SAMPLE_ENTRY, parentId: null, timestamp: new Date(SAMPLE_TIME).toISOString(), ...more };
}

/** Content of a message or a result. */
export function sampleText(text: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text }];
}

/** The conversation's model; if there is none, an object with only the members that a hook usually reads. */
export function sampleModel({ model }: SampleContext): Model<Api> {
  return model ?? ({ provider: 'anthropic', id: 'sample' } as Model<Api>);
}
