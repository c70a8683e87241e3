import type { PiEvent } from '../../agent/run/events';
import type { StoredEntry } from '../../agent/session/entry';
import type { CompactionResult } from '../../hook-contract/hook-event';

export type CompactionReason = 'manual' | 'threshold' | 'overflow';

/** The purpose of a summary. */
export type SummaryPurpose =
  { readonly source: 'compaction'; readonly reason: CompactionReason } | { readonly source: 'branchSummary' };

/** The result of a compaction, in pi's words. */
export type CompactionOutcome = CompactionResult & {
  /** Size of the context now, estimated from its characters. */
  readonly estimatedTokensAfter: number;
};

export interface CompactionEnd {
  readonly result: CompactionOutcome | undefined;
  readonly aborted: boolean;
  /** The failed request is repeated with the shorter context. */
  readonly willRetry: boolean;
  readonly errorMessage?: string;
}

type EventOf<T extends PiEvent['type']> = Extract<PiEvent, { readonly type: T }>;

/**
 * All events of a conversation, in the words of pi 1.5 (docs/cli.md): those of runs, and others. `src/modes/protocol`
 * writes them for the versions of the protocol.
 */
export type SessionEvent =
  | Exclude<PiEvent, EventOf<'agent_end'>>
  /** `willRetry`: the run failed for a temporary reason and is retried. */
  | (EventOf<'agent_end'> & { readonly willRetry: boolean })
  /** Nothing follows the run any more: no retry, no compaction, no queued message. */
  | { readonly type: 'agent_settled'; readonly aborted: boolean }
  /** A hook added its own entry to the session, or an entry that edits another one. */
  | { readonly type: 'entry_appended'; readonly entry: StoredEntry }
  | { readonly type: 'queue_update'; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  | { readonly type: 'compaction_start'; readonly reason: CompactionReason }
  | ({ readonly type: 'compaction_end'; readonly reason: CompactionReason } & CompactionEnd)
  /** The request for a summary failed for a temporary reason and is repeated after `delayMs`. */
  | {
      readonly type: 'summarization_retry_scheduled';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | ({ readonly type: 'summarization_retry_attempt_start' } & SummaryPurpose)
  /** After the last of these tries, whatever the result. */
  | { readonly type: 'summarization_retry_finished' }
  | {
      readonly type: 'auto_retry_start';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | {
      readonly type: 'auto_retry_end';
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    }
  | { readonly type: 'session_info_changed'; readonly name: string | undefined }
  | { readonly type: 'thinking_level_changed'; readonly level: string };
