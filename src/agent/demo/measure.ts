import { createHash } from 'node:crypto';
import type { Context, Message } from '@mariozechner/pi-ai';

const CHARS_PER_TOKEN = 4;
/** What an image counts, in characters. */
const IMAGE_CHARS = 4_800;

/** Tokens by the rule of thumb that the agent's own estimates use. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Characters of everything a context holds. */
export function contextChars({ systemPrompt = '', messages, tools = [] }: Context): number {
  let chars = systemPrompt.length;
  for (const tool of tools) chars += tool.name.length + tool.description.length;
  for (const message of messages) chars += messageChars(message);
  return chars;
}

/**
 * An id for the next tool call: the same for the same conversation, different at every point of it. Timestamps of
 * messages go in so that a request that is made again, in another branch say, gets another id.
 */
export function callId({ messages }: Context): string {
  const hash = createHash('sha256');
  for (const message of messages.slice(-8)) {
    hash.update(`${message.role} ${message.timestamp} ${messageChars(message)}\n`);
  }
  return `demo_${messages.length}_${hash.digest('hex').slice(0, 12)}`;
}

function messageChars(message: Message): number {
  if (typeof message.content === 'string') return message.content.length;
  let chars = 0;
  for (const part of message.content) {
    if (part.type === 'text') chars += part.text.length;
    else if (part.type === 'thinking') chars += part.thinking.length;
    else if (part.type === 'image') chars += IMAGE_CHARS;
    else chars += part.name.length + JSON.stringify(part.arguments).length;
  }
  return chars;
}
