import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { AgentMessage } from '../../agent/messages';
import type { CompactionOutcome, ProgramEvent } from '../../session/ports/session-events';
import type { Protocol } from './protocol';
import { defined } from '../../base/defined';

/**
 * The protocol of pi 0.73.1, with additions for clients of 0.57.1: automatic compactions have events with the names of
 * both versions.
 */
export const olderProtocol: Protocol = {
  withdraws: false,

  recordsOf(event) {
    const { type } = event;
    if (NEWER.has(type)) return [];
    if ('parentToolCallId' in event) return [];
    if (type === 'message_start' || type === 'message_end') {
      return isKnown(event.message) ? [{ ...event, message: olderMessage(event.message) }] : [];
    }
    if (type === 'message_update') {
      const { message, assistantMessageEvent } = event;
      return [{ ...event, message: olderMessage(message), assistantMessageEvent: olderUpdate(assistantMessageEvent) }];
    }
    if (type === 'turn_end') {
      return [{ ...event, message: olderMessage(event.message), toolResults: event.toolResults.map(olderMessage) }];
    }
    if (type === 'agent_end') return [{ type, messages: event.messages.filter(isKnown).map(olderMessage) }];
    if (type === 'compaction_start' && event.reason !== 'manual') {
      return [{ type: 'auto_compaction_start', reason: event.reason }, event];
    }
    if (type === 'tool_execution_end') {
      const result = { ...event.result, isError: undefined, structuredContent: undefined, usage: undefined };
      return [{ ...event, result, durationMs: undefined }];
    }
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
      ...defined({ file, line }),
    };
  },
};

/** Events that later versions added. */
const NEWER: ReadonlySet<string> = new Set<ProgramEvent['type']>([
  'agent_settled',
  'approval_mode_changed',
  'entry_appended',
  'summarization_retry_scheduled',
  'summarization_retry_attempt_start',
  'summarization_retry_finished',
  'todos_changed',
]);

/** A compaction without the usage of its summary, which later versions added. */
export function withoutUsage(outcome: CompactionOutcome): CompactionOutcome {
  return { ...outcome, usage: undefined };
}

/** Whether this version has such messages; later versions added system messages. */
export function isKnown(message: AgentMessage): boolean {
  return (message.role as string) !== 'system';
}

/** A message without the members that later versions added. */
export function olderMessage(message: AgentMessage): object {
  return message.role === 'toolResult'
    ? { ...message, ...NEWER_MEMBERS, usage: undefined }
    : { ...message, ...NEWER_MEMBERS };
}

const NEWER_MEMBERS = {
  durationMs: undefined,
  endTurn: undefined,
  nestedCalls: undefined,
  providerThinkingLevel: undefined,
  rawStopReason: undefined,
  structuredContent: undefined,
  thinkingLevel: undefined,
};

function olderUpdate(event: AssistantMessageEvent): object {
  if (event.type === 'done') return { ...event, message: olderMessage(event.message) };
  if (event.type === 'error') return { ...event, error: olderMessage(event.error) };
  return { ...event, partial: olderMessage(event.partial) };
}
