import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';
import type { AppMessage } from '@mariozechner/pi-coding-agent';

/**
 * Compacts without asking a model: the summary is the list of what you asked for, and of the files that were written.
 * Free, instant, and nothing of your own words is lost.
 */
export default function compactToRequests(pi: HookAPI) {
  pi.on('session', event => {
    if (event.reason !== 'before_compact') return undefined;
    const requests = event.messagesToSummarize.flatMap(requestOf).map(text => `- ${text}`);
    const files = [...new Set(event.messagesToSummarize.flatMap(filesWrittenBy))].map(path => `- ${path}`);
    const summary = [
      // Without this line everything before the last compaction would be forgotten.
      ...(event.previousSummary ? [event.previousSummary, ''] : []),
      'The user asked for:',
      ...requests,
      ...(files.length > 0 ? ['', 'Files written meanwhile:', ...files] : []),
    ].join('\n');
    return {
      compactionEntry: {
        type: 'compaction',
        timestamp: new Date().toISOString(),
        summary,
        firstKeptEntryIndex: event.cutPoint.firstKeptEntryIndex,
        tokensBefore: event.tokensBefore,
      },
    };
  });
}

function requestOf(message: AppMessage): string[] {
  if (message.role !== 'user') return [];
  if (typeof message.content === 'string') return [message.content];
  return [message.content.map(part => (part.type === 'text' ? part.text : '[image]')).join(' ')];
}

function filesWrittenBy(message: AppMessage): string[] {
  if (message.role !== 'assistant') return [];
  return message.content.flatMap(part =>
    part.type === 'toolCall' && (part.name === 'write' || part.name === 'edit') ? [String(part.arguments.path)] : [],
  );
}
