import type { ToldEvent } from '../../agent/events';
import type { CompactionResult } from '../../hooks/events/hook-event';

export type CompactionReason = 'manual' | 'threshold' | 'overflow';

interface CompactionEnd {
  readonly result: CompactionResult | undefined;
  readonly aborted: boolean;
  /** The failed request is tried again with the shorter context. */
  readonly willRetry: boolean;
  readonly errorMessage?: string;
}

/**
 * Everything a conversation tells of itself as it happens, in pi's words: the events of runs, and what goes on beside
 * them. Automatic compactions are told under the names of pi 0.57 (`auto_compaction_*`) and of 0.73 (`compaction_*`).
 */
export type SessionEvent =
  | ToldEvent
  | { readonly type: 'queue_update'; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  | { readonly type: 'compaction_start'; readonly reason: CompactionReason }
  | ({ readonly type: 'compaction_end'; readonly reason: CompactionReason } & CompactionEnd)
  | { readonly type: 'auto_compaction_start'; readonly reason: 'threshold' | 'overflow' }
  | ({ readonly type: 'auto_compaction_end' } & CompactionEnd)
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
