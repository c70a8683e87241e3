import type { AssistantMessage, AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { ThinkingLevel } from '../context/context';
import type { SessionEntry } from '../session/entries';
import type { CompactionResult, TodoItem } from '../session/event-parts';
import type * as E from './events';

type CompactionReason = 'manual' | 'threshold' | 'overflow';
type WithoutCopy<T> = T extends { partial: unknown }
  ? Omit<T, 'partial'> & (T extends { type: 'toolcall_start' } ? { id: string; toolName: string } : object)
  : T;

/** What is new in an answer, without a copy of what came before. */
export interface JsonMessageUpdateEvent {
  type: 'message_update';
  usage: AssistantMessage['usage'];
  assistantMessageEvent: WithoutCopy<AssistantMessageEvent>;
}

/** A line that the command line writes with `--mode json`, and between its answers with `--mode rpc`; by `type`. */
export type JsonAgentSessionEvent =
  | E.AgentStartEvent
  | (E.AgentEndEvent & { willRetry: boolean })
  | E.AgentSettledEvent
  | Pick<E.TurnStartEvent, 'type'>
  | Pick<E.TurnEndEvent, 'type' | 'message' | 'toolResults'>
  | E.MessageStartEvent
  | JsonMessageUpdateEvent
  | E.MessageEndEvent
  | E.ToolExecutionStartEvent
  | E.ToolExecutionUpdateEvent
  | E.ToolExecutionEndEvent
  | { type: 'queue_update'; steering: readonly string[]; followUp: readonly string[] }
  | { type: 'compaction_start'; reason: CompactionReason }
  | {
      type: 'compaction_end';
      reason: CompactionReason;
      result: CompactionResult | undefined;
      aborted: boolean;
      willRetry: boolean;
      errorMessage?: string;
    }
  | { type: 'entry_appended'; entry: SessionEntry }
  | E.SessionInfoChangedEvent
  | { type: 'thinking_level_changed'; level: ThinkingLevel }
  | { type: 'approval_mode_changed'; mode: 'ask' | 'edits' | 'auto' | 'plan' }
  | { type: 'todos_changed'; todos: TodoItem[] }
  | E.AutoRetryStartEvent
  | E.AutoRetryEndEvent
  | {
      type: 'summarization_retry_scheduled';
      attempt: number;
      maxAttempts: number;
      delayMs: number;
      errorMessage: string;
    }
  | { type: 'summarization_retry_attempt_start'; source: 'branchSummary' }
  | { type: 'summarization_retry_attempt_start'; source: 'compaction'; reason: CompactionReason }
  | { type: 'summarization_retry_finished' };
