import type { Message, Usage } from '@mariozechner/pi-ai';
import type { AgentMessage, ContentPart, CustomMessageDraft, TranscriptMessage } from './messages';
import type { SessionEntry } from './entries';

/** The message a branch starts from, in the three ways in which dialects name it. */
export interface BranchTarget {
  /** Index in `entries` with the header counted (v1, tree). */
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
  /** Start of a turn that is cut in the middle; summarized on its own by the default. */
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
  /** `event.preparation.firstKeptEntryId`, or `null` or `''` to keep nothing. */
  firstKeptEntryId: string | null;
  tokensBefore: number;
  /** What the model used for it; counts in the totals of the session. */
  usage?: Usage;
  /** Stored with the entry; never sent to the model. */
  details?: T;
}

/**
 * An entry that a handler of `turn_end` or `agent_before_settle` puts into the session: state of the hook, a message for
 * the model, another content of an earlier entry from here on (`null`: none), or a summary that takes the place of all
 * before `firstKeptEntryId` (`null`: of everything).
 */
export type SessionBoundaryDraft =
  | { type: 'custom'; customType: string; data?: unknown }
  | ({ type: 'custom_message' } & CustomMessageDraft)
  | { type: 'context_edit'; targetId: string; replacement: { content: string | ContentPart[] } | null }
  | { type: 'compaction'; summary: string; firstKeptEntryId: string | null; details?: unknown; usage?: Usage };

/** What the model would get next, with all entries that were proposed so far. */
export interface BoundaryContextPreview {
  /** The entries behind the context, each with what the model gets of it. */
  contextEntries: { sourceEntry: SessionEntry; messages: TranscriptMessage[] }[];
  contextMessages: TranscriptMessage[];
  llmMessages: Message[];
  /** What waits to be delivered. */
  pendingMessages: AgentMessage[];
  /** A further request has something to answer. */
  canContinue: boolean;
}

/** What `turn_end` and `agent_before_settle` tell files of today's pi, and what these may change. */
export interface BoundaryState {
  /** Entries that the handlers before this one propose. Spread them when you return some. */
  entries: SessionBoundaryDraft[];
  /** A handler before this one asks for a further request. */
  continue: boolean;
  context: BoundaryContextPreview;
  outcome: 'completed' | 'aborted' | 'error';
}

/** What the system prompt is made from; handlers of `before_agent_start` change it in place. */
export interface BuildSystemPromptOptions {
  /** In place of the introduction, the tools and the rules. */
  customPrompt?: string | undefined;
  /** In place of everything, for one run. */
  forceSystemPrompt?: string | undefined;
  /** Names of the tools that the model gets; a change of them is a change of the active tools. */
  selectedTools?: string[];
  /** Selected tools that the prompt says nothing of. */
  hiddenTools?: string[];
  /** What is said of each tool, in a line. */
  toolSnippets?: Record<string, string>;
  toolGuidelines?: Record<string, string[]>;
  promptGuidelines?: string[];
  appendSystemPrompt?: string;
  /** Sections of your own by name (`[a-z][a-z0-9_-]*`), each put into a tag of that name. */
  sections?: Record<string, string>;
  cwd: string;
  contextFiles?: { path: string; content: string }[];
  skills?: { name: string; description: string; filePath: string; baseDir: string }[];
}

/** The same with all of its lists. */
export type NormalizedBuildSystemPromptOptions = BuildSystemPromptOptions &
  Required<Omit<BuildSystemPromptOptions, 'customPrompt' | 'forceSystemPrompt'>>;

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
  /** What the model gets. */
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
