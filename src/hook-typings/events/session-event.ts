import type { Api, Model } from '@mariozechner/pi-ai';
import type { StoredCompactionEntry, ViewEntry } from '../session/entries';
import type { AgentMessage } from '../session/messages';
import type { BranchTarget, CompactionPreparation } from '../session/event-parts';

/** Members of every `session` event. */
interface SessionEventBase {
  type: 'session';
  /** The header at index 0, then the entries of the current path. Yours to change: it is a copy. */
  entries: ViewEntry[];
  /** `null` when the session is not saved. */
  sessionFile: string | null;
  /** The file before a `switch`, `branch`, `clear` or `new`; `null` otherwise. */
  previousSessionFile: string | null;
}

/** `start`: the session is ready. Also sent to a hook when it was reloaded. */
export interface SessionStartReason extends SessionEventBase {
  reason: 'start';
}
/** Another session is about to be opened. Return `{ cancel: true }` to stay. */
export interface SessionBeforeSwitchReason extends SessionEventBase {
  reason: 'before_switch';
}
export interface SessionSwitchReason extends SessionEventBase {
  reason: 'switch';
}
/** A new session is about to begin: `before_clear` in v1, `before_new` since. Return `{ cancel: true }` to stay. */
export interface SessionBeforeNewReason extends SessionEventBase {
  reason: 'before_clear' | 'before_new';
}
/** A new session began; `entries` is empty. A file gets the word that its own text uses. */
export interface SessionNewReason extends SessionEventBase {
  reason: 'clear' | 'new';
}
/** Return `{ cancel: true }`, or `{ skipConversationRestore: true }` to branch without going back in the conversation. */
export interface SessionBeforeBranchReason extends SessionEventBase, BranchTarget {
  reason: 'before_branch';
}
export interface SessionBranchReason extends SessionEventBase, BranchTarget {
  reason: 'branch';
}
/** Return `{ cancel: true }`, `{ compactionEntry }` (v1) or `{ compaction }` (tree). */
export interface SessionBeforeCompactReason extends SessionEventBase {
  reason: 'before_compact';
  /** Where the default would cut, counted in `entries`. */
  cutPoint: { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean };
  previousSummary: string | undefined;
  /** What the summary must cover. */
  messagesToSummarize: AgentMessage[];
  /** What stays in the context word for word. */
  messagesToKeep: AgentMessage[];
  tokensBefore: number;
  /** Text behind `/compact`. */
  customInstructions: string | undefined;
  model: Model<Api>;
  resolveApiKey(model: Model<Api>): Promise<string | undefined>;
  /** Fires when the user cancels waiting; pass it to model calls. */
  signal: AbortSignal;
  /** The same plan as tree and later describe it. */
  preparation: CompactionPreparation;
  /** Newest first. */
  previousCompactions: StoredCompactionEntry[];
  branchEntries: ViewEntry[];
}
/** A compaction was stored. */
export interface SessionCompactReason extends SessionEventBase {
  reason: 'compact';
  compactionEntry: StoredCompactionEntry;
  tokensBefore: number;
  /** The summary came from a hook. */
  fromHook: boolean;
  fromExtension: boolean;
}
export interface SessionShutdownReason extends SessionEventBase {
  reason: 'shutdown';
}

/**
 * Payload of `session`, the one lifecycle event of v1 and tree. Tell the steps apart by `reason`; the
 * `before_*` ones can be cancelled.
 */
export type SessionEvent =
  | SessionStartReason
  | SessionBeforeSwitchReason
  | SessionSwitchReason
  | SessionBeforeNewReason
  | SessionNewReason
  | SessionBeforeBranchReason
  | SessionBranchReason
  | SessionBeforeCompactReason
  | SessionCompactReason
  | SessionShutdownReason;
