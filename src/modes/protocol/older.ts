import type { AgentMessage } from '../../agent/messages';
import type { Protocol } from './protocol';

/**
 * The protocol as of pi 0.73.1, with what clients of 0.57.1 expect beside it: automatic compactions are told under the
 * names of both.
 */
export const older: Protocol = {
  recordsOf(event) {
    const { type } = event;
    if (type === 'agent_settled' || type === 'entry_appended') return [];
    if (type === 'message_start' || type === 'message_end') return isKnown(event.message) ? [event] : [];
    if (type === 'agent_end') return [{ type, messages: event.messages.filter(isKnown) }];
    if (type === 'compaction_start' && event.reason !== 'manual') {
      return [{ type: 'auto_compaction_start', reason: event.reason }, event];
    }
    if (type === 'tool_execution_end') return [{ ...event, durationMs: undefined }];
    if (type === 'compaction_end' && event.reason !== 'manual') {
      return [event, { ...event, type: 'auto_compaction_end', reason: undefined }];
    }
    return [event];
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

/** Messages of the system came later. */
export function isKnown(message: AgentMessage): boolean {
  return (message.role as string) !== 'system';
}
