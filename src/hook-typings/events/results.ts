import type { ImageContent, Usage } from '@mariozechner/pi-ai';
import type { CompactionEntryV1, StoredCompactionEntry } from '../session/entries';
import type { BashOperations, BashOutcome, CompactionResult, SessionBoundaryDraft } from '../session/event-parts';
import type {
  AgentMessage,
  ContentPart,
  ContextMessage,
  CustomMessageDraft,
  TranscriptMessage,
} from '../session/messages';

/** Answer to `tool_call`. The first block ends the question; anything else lets the tool run. */
export interface ToolCallEventResult {
  /** `true`: the tool does not run. */
  block?: boolean;
  /** What the model reads instead of a result. */
  reason?: string;
  /** For a blocked call: ends the run like `terminate` of a result. */
  terminate?: boolean;
}

/** Answer to `tool_result`: laid over the result that the next handler and the model see. Absent members stay. */
export interface ToolResultEventResult {
  /** An empty array empties the result. */
  content?: ContentPart[];
  details?: unknown;
  /** Goes where `content` is replaced without it. */
  structuredContent?: unknown;
  usage?: Usage;
  /** ext only: makes a failure a success, or the reverse. Ignored from other dialects. */
  isError?: boolean;
  /** The text alone, as hooks older than v1 return it. */
  result?: string;
}

/** Answer to `context`: the messages for this model call. An empty array sends none. */
export interface ContextEventResult {
  messages?: (AgentMessage | ContextMessage)[];
}

/** Answer to `context_with_system`. */
export interface ContextWithSystemEventResult {
  messages?: TranscriptMessage[];
}

/** Answer to `message_end`: what is stored, shown and sent instead. Of the same role, else it does not count. */
export interface MessageEndEventResult {
  message?: TranscriptMessage;
}

/** Answer to `turn_end` and `agent_before_settle`, of files of today's pi. Each member takes the place of what was proposed. */
export interface BoundaryResult {
  /** All of them count, or none when one is wrong. */
  entries?: SessionBoundaryDraft[];
  /** `true`: one further request, unless there is one anyway. Never after an error or a stop. */
  continue?: boolean;
}
export type TurnEndEventResult = BoundaryResult;
export type AgentBeforeSettleEventResult = BoundaryResult;

/** Answer to `session_stop`: the agent goes on with a text, which the chat does not show. */
export interface SessionStopEventResult {
  /** `true`: go on with `additionalContext`, or else `reason`; nothing without a text. At most 8 times in a row. */
  continue?: boolean;
  additionalContext?: string;
  /** Go on with `reason`, or else `additionalContext`. The first block counts; it has no limit. */
  decision?: 'block';
  reason?: string;
}

/** Answer to `before_agent_start`. */
export interface BeforeAgentStartEventResult {
  /** Stored after the prompt and sent with it. ext: of every hook; v1, tree, omp: only the first. */
  message?: CustomMessageDraft;
  /** Replaces the system prompt for this run; an empty string counts as absent. */
  systemPrompt?: string;
  /** Added to the system prompt. */
  systemPromptAppend?: string;
}

/** Answer to the `session` event; which members count depends on its `reason`. */
export interface SessionEventResult {
  /** `before_*`: the step does not happen, and no further handler is asked. */
  cancel?: boolean;
  /** `before_branch`: make the branch, but leave the conversation as it is. */
  skipConversationRestore?: boolean;
  /** `before_compact`: v1's form of a summary. */
  compactionEntry?: CompactionEntryV1 | StoredCompactionEntry;
  /** `before_compact`: the form since tree. */
  compaction?: CompactionResult;
}

/** Answer to `session_before_switch` and `session_before_new`. */
export interface SessionBeforeSwitchResult {
  cancel?: boolean;
}

/** Answer to `session_before_branch` and `session_before_fork`. */
export interface SessionBeforeForkResult {
  cancel?: boolean;
  /** Make the branch, but leave the conversation as it is. */
  skipConversationRestore?: boolean;
}
export type SessionBeforeBranchResult = SessionBeforeForkResult;

/** Answer to `session_before_compact`. An empty object means the default summary. */
export interface SessionBeforeCompactResult {
  cancel?: boolean;
  /** Your summary instead of the model's. */
  compaction?: CompactionResult;
  /** The same in v1's form. */
  compactionEntry?: CompactionEntryV1 | StoredCompactionEntry;
}

/** Answer to `session.compacting`; the last one counts as a whole. */
export interface SessionCompactingResult {
  /** Lines added to the request for a summary. */
  context?: string[];
  /** Replaces the request. */
  prompt?: string;
  /** Stored with the compaction. */
  preserveData?: Record<string, unknown>;
}

/** Answer to `session_before_tree`. */
export interface SessionBeforeTreeResult {
  cancel?: boolean;
  /** Counts only when the user asked for a summary. */
  summary?: {
    summary: string;
    details?: unknown;
    /** What the model used for it; counts in the totals of the session. */
    usage?: Usage;
  };
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

/** Answer to `session_directory`; the last one counts. */
export interface SessionDirectoryResult {
  sessionDir?: string;
}

/** Answer to `project_trust`; the first `yes` or `no` decides. */
export interface ProjectTrustEventResult {
  trusted: 'yes' | 'no' | 'undecided';
  /** Keep it in `trust.json` of the agent folder. */
  remember?: boolean;
}

/** Answer to `resources_discover`; all are collected. Relative paths are beside the hook. */
export interface ResourcesDiscoverResult {
  skillPaths?: string[];
  promptPaths?: string[];
  themePaths?: string[];
}

/** Answer to `input`. */
export type InputEventResult =
  | { action: 'continue' }
  /** The next handler, and then the agent, gets this text. Images stay when you give none. */
  | { action: 'transform'; text: string; images?: ImageContent[] }
  /** Nothing further happens with the text. */
  | { action: 'handled' }
  /** oh-my-pi's extensions say the same with these members. */
  | { action?: undefined; handled?: boolean; text?: string; images?: ImageContent[] };

/** Answer to `user_bash`; the first that names one of the two counts. */
export interface UserBashEventResult {
  /** Run the command elsewhere. `execute` is the name in the description of ext, `exec` in its code; both are taken. */
  operations?:
    BashOperations | { execute(command: string, cwd: string, options: Parameters<BashOperations['exec']>[2]): unknown };
  /** Do not run it: this is the result. */
  result?: BashOutcome;
}

/** Answer to `cache_warming_decision`; the last one counts. */
export interface CacheWarmingDecisionEventResult {
  action?: 'warm' | 'stop';
}
