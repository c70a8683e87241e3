import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * Replaces the model's summary at a compaction by the list of what you asked for, word for word: free, immediate, and
 * nothing that you said is lost. Return nothing to let the model write the summary.
 */
export default function ownCompaction(pi: ExtensionAPI) {
  pi.on('session_before_compact', event => {
    const { messagesToSummarize, turnPrefixMessages, firstKeptEntryId, tokensBefore, previousSummary } =
      event.preparation;
    const requests = [...messagesToSummarize, ...turnPrefixMessages].flatMap(message => {
      if (message.role !== 'user') return [];
      const parts = typeof message.content === 'string' ? [message.content] : message.content;
      return parts.flatMap(part => (typeof part === 'string' ? [part] : part.type === 'text' ? [part.text] : []));
    });
    if (requests.length === 0) return undefined;
    const list = requests.map(request => `- ${request.replaceAll('\n', ' ')}`).join('\n');
    const summary = [previousSummary ?? 'The user asked for, in this order:', list].join('\n');
    return { compaction: { summary, firstKeptEntryId, tokensBefore } };
  });
}
