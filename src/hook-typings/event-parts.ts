import type { AgentMessage } from './messages';
import type { SessionEntry } from './entries';

/** The message a branch starts from, in the three ways in which dialects name it. */
export interface BranchTarget {
  /** Index in `entries` with the header counted (v1, tree document). */
  targetTurnIndex: number;
  /** Index without the header (tree code). */
  entryIndex: number;
  /** Id of the entry (omp, ext). */
  entryId: string;
}

/** The plan of a compaction: everything that any dialect tells of it. */
export interface CompactionPreparation {
  /** Where the default would cut; indexes count the session without its header. */
  cutPoint: { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean };
  /** First entry that stays. Put it into your own `compaction`, or `''` to keep nothing. */
  firstKeptEntryId: string;
  /** What the summary must cover, without {@link turnPrefixMessages}. */
  messagesToSummarize: AgentMessage[];
  /** What stays in the context word for word. */
  messagesToKeep: AgentMessage[];
  /** Start of a turn that is cut in the middle; summarised on its own by the default. */
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  tokensBefore: number;
  /** Summary of the last compaction: work it in, or it is lost. */
  previousSummary?: string;
  fileOps: { read: Set<string>; written: Set<string>; edited: Set<string> };
  settings: { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
  boundaryStart: number;
}

/** A summary made by a hook. */
export interface CompactionResult<T = unknown> {
  summary: string;
  /** `event.preparation.firstKeptEntryId`, or `''` to keep nothing. */
  firstKeptEntryId: string;
  tokensBefore: number;
  /** Stored with the entry; never sent to the model. */
  details?: T;
}

/** A move in the session tree that is about to happen. */
export interface TreePreparation {
  targetId: string;
  oldLeafId: string | null;
  commonAncestorId: string | null;
  /** What is left behind. */
  entriesToSummarize: SessionEntry[];
  userWantsSummary: boolean;
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

/** An item of the agent's todo list. */
export interface TodoItem {
  content: string;
  status: 'pending' | 'in_progress' | 'completed' | 'abandoned';
}

/** A stream rule (`.pi/rules/*.md`): patterns in what the model writes that interrupt it, and what it is then told. */
export interface StreamRule {
  /** The file's name without ending. */
  name: string;
  path: string;
  /** What the model is told. */
  content: string;
  description?: string;
  /** The patterns as written, one per line. */
  ttsrTrigger: string;
  level: 'user' | 'project';
}

/** Outcome of a command that a hook ran in place of the shell. */
export interface BashOutcome {
  output: string;
  exitCode: number | undefined;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
}

/** Runs commands somewhere else, such as over SSH. */
export interface BashOperations {
  /** Send output through `onData` as it comes. Reject with `aborted` on abort, `timeout:<seconds>` on timeout. */
  exec(
    command: string,
    cwd: string,
    options: {
      onData: (data: Buffer) => void;
      signal?: AbortSignal;
      /** Seconds. */
      timeout?: number;
      env?: Record<string, string | undefined>;
    },
  ): Promise<{ exitCode: number | null }>;
}
