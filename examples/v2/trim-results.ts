import type { AppMessage, ContextMessage, HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/** Results of the last so many tool calls stay whole. */
const KEEP = 4;
/** Shorter results are not worth the trouble. */
const MIN_LENGTH = 400;

/**
 * Sends old tool results to the model shortened to their first and last line. The session keeps them whole; only what
 * goes out is smaller, so long sessions cost less and compact later.
 */
export default function trimResults(pi: HookAPI) {
  pi.on('context', event => {
    let seen = 0;
    const messages: ContextMessage[] = [];
    for (const { message, entryIndex } of [...event.messages].reverse()) {
      const old = message.role === 'toolResult' && ++seen > KEEP;
      messages.unshift({ message: old ? shortened(message) : message, entryIndex });
    }
    return seen > KEEP ? { messages } : undefined;
  });
}

function shortened(message: Extract<AppMessage, { role: 'toolResult' }>): AppMessage {
  const text = message.content.map(part => (part.type === 'text' ? part.text : '')).join('\n');
  if (text.length < MIN_LENGTH) return message;
  const lines = text.split('\n');
  const left = `${lines[0]}\n[… ${lines.length - 2} lines left out; run the tool again to see them …]\n${lines.at(-1)}`;
  return { ...message, content: [{ type: 'text', text: left }] };
}
