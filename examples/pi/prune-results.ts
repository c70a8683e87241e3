import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** The results of the last calls stay whole. */
const KEEP = 2;
/** Results up to this length, in characters, stay whole. */
const SHORT = 200;

/**
 * Leaves old, long tool results out of what the model gets. The session keeps them, and the model can run the tool
 * again. Fewer tokens are sent, but a provider's cache of the prompt begins anew where a result changes.
 */
export default function pruneResults(pi: ExtensionAPI) {
  pi.on('context', event => {
    const results = event.messages.filter(message => message.role === 'toolResult');
    const old = new Set(results.slice(0, -KEEP));
    const messages = event.messages.map(message => {
      if (message.role !== 'toolResult' || !old.has(message)) return message;
      const length = message.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : SHORT), 0);
      if (length <= SHORT) return message;
      return { ...message, content: [{ type: 'text' as const, text: '[Old result left out. Run the tool again.]' }] };
    });
    return { messages };
  });
}
