import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/** Kinds of messages of which only the newest counts. */
const REPLACED = new Set(['git-facts', 'test-errors']);

/**
 * Hooks that report a state add a message each time it changes, and the model pays for all of them. This one sends only
 * the newest of each kind. The session keeps the rest.
 */
export default function hideOldFacts(pi: HookAPI) {
  pi.on('context', event => {
    const seen = new Set<string>();
    const kept = [...event.messages].reverse().filter(message => {
      // In this dialect messages of hooks have the role "hookMessage"; later ones say "custom".
      if (message.role !== 'hookMessage' || !REPLACED.has(message.customType)) return true;
      const first = !seen.has(message.customType);
      seen.add(message.customType);
      return first;
    });
    return { messages: kept.reverse() };
  });
}
