import type { AgentMessage } from '../../agent/messages';
import type { CompactionOutcome, SessionEvent } from '../../conversation/session/session-events';
import type { Protocol } from './protocol';

/**
 * The protocol as of pi 0.73.1, with what clients of 0.57.1 expect beside it: automatic compactions are told under the
 * names of both.
 */
export const older: Protocol = {
  recordsOf(event) {
    const { type } = event;
    if (NEWER.has(type)) return [];
    if ('parentToolCallId' in event) return [];
    if (type === 'message_start' || type === 'message_end') return isKnown(event.message) ? [event] : [];
    if (type === 'agent_end') return [{ type, messages: event.messages.filter(isKnown) }];
    if (type === 'compaction_start' && event.reason !== 'manual') {
      return [{ type: 'auto_compaction_start', reason: event.reason }, event];
    }
    if (type === 'tool_execution_end') return [{ ...event, durationMs: undefined }];
    if (type !== 'compaction_end') return [event];
    const end = event.result === undefined ? event : { ...event, result: withoutUsage(event.result) };
    return event.reason === 'manual' ? [end] : [end, { ...end, type: 'auto_compaction_end', reason: undefined }];
  },

  hookError({ hookPath, event, message, file, line }) {
    return {
      type: 'extension_error',
      extensionPath: hookPath,
      event,
      error: message,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    };
  },
};

/** Events that came later. */
const NEWER: ReadonlySet<string> = new Set<SessionEvent['type']>([
  'agent_settled',
  'entry_appended',
  'summarization_retry_scheduled',
  'summarization_retry_attempt_start',
  'summarization_retry_finished',
]);

/** What a summary took was told later. */
export function withoutUsage(outcome: CompactionOutcome): CompactionOutcome {
  return { ...outcome, usage: undefined };
}

/** Messages of the system came later. */
export function isKnown(message: AgentMessage): boolean {
  return (message.role as string) !== 'system';
}
