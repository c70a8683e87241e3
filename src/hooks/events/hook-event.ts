import type { Api, AssistantMessageEvent, Model } from '@mariozechner/pi-ai';
import type {
  AgentMessage,
  AssistantMessage,
  ContentPart,
  ImageContent,
  ToolResultMessage,
} from '../../agent/messages';
import type { ToolResult } from '../../agent/tools/tool';

/** A session entry as files and hooks know it; the agent layer owns its exact kinds. */
export interface EntryLike {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** Everything any dialect's compaction event tells of the plan (docs/dialects.md, C8). */
export interface CompactionPreparation {
  readonly cutPoint: {
    readonly firstKeptEntryIndex: number;
    readonly turnStartIndex: number;
    readonly isSplitTurn: boolean;
  };
  readonly firstKeptEntryId: string;
  readonly messagesToSummarize: AgentMessage[];
  readonly messagesToKeep: AgentMessage[];
  readonly turnPrefixMessages: AgentMessage[];
  readonly isSplitTurn: boolean;
  readonly tokensBefore: number;
  readonly previousSummary?: string;
  readonly fileOps: { readonly read: Set<string>; readonly written: Set<string>; readonly edited: Set<string> };
  readonly settings: { readonly enabled: boolean; readonly reserveTokens: number; readonly keepRecentTokens: number };
  readonly boundaryStart: number;
}

export interface TreePreparation {
  readonly targetId: string;
  readonly oldLeafId: string | null;
  readonly commonAncestorId: string | null;
  readonly entriesToSummarize: readonly EntryLike[];
  readonly userWantsSummary: boolean;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}

/** A custom summary as hooks give it and the session stores it. */
export interface CompactionResult {
  readonly summary: string;
  /** `''` means: keep nothing. */
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: unknown;
}

/** A message a hook wants in the conversation. */
export interface CustomMessageDraft {
  readonly customType: string;
  readonly content: string | ContentPart[];
  readonly display: boolean;
  readonly details?: unknown;
}

export type SwitchReason = 'new' | 'resume' | 'fork';
export type StartReason = 'startup' | 'reload' | 'switch' | 'fork' | 'new';

/**
 * The canonical event stream: one member per lifecycle step, with the union of what all dialects tell of it. What a
 * hook sees of a step (names, payload) is decided by what it registered and by its dialect.
 */
export type HookEvent =
  | { readonly type: 'resources_discover'; readonly cwd: string; readonly reason: 'startup' | 'reload' }
  | { readonly type: 'session_directory'; readonly cwd: string }
  | { readonly type: 'session_start'; readonly reason: StartReason }
  | { readonly type: 'session_before_switch'; readonly reason: SwitchReason; readonly targetSessionFile?: string }
  | { readonly type: 'session_switch'; readonly reason: SwitchReason; readonly previousSessionFile: string | undefined }
  | { readonly type: 'session_before_branch'; readonly entryId: string }
  | { readonly type: 'session_branch'; readonly entryId: string; readonly previousSessionFile: string | undefined }
  | {
      readonly type: 'session_before_compact';
      readonly preparation: CompactionPreparation;
      readonly branchEntries: readonly EntryLike[];
      readonly previousCompactions: readonly EntryLike[];
      readonly customInstructions?: string;
      readonly model: Model<Api>;
      readonly signal: AbortSignal;
    }
  | { readonly type: 'session_compacting'; readonly sessionId: string; readonly messages: readonly AgentMessage[] }
  | {
      readonly type: 'session_compact';
      readonly compactionEntry: EntryLike;
      readonly tokensBefore: number;
      readonly fromHook: boolean;
    }
  | {
      readonly type: 'session_before_tree';
      readonly preparation: TreePreparation;
      readonly model: Model<Api> | undefined;
      readonly signal: AbortSignal;
    }
  | {
      readonly type: 'session_tree';
      readonly newLeafId: string | null;
      readonly oldLeafId: string | null;
      readonly summaryEntry?: EntryLike;
      readonly fromHook?: boolean;
    }
  | { readonly type: 'session_shutdown'; readonly reason: 'quit' | 'reload' }
  | {
      readonly type: 'input';
      readonly text: string;
      readonly images?: readonly ImageContent[];
      readonly source: 'interactive' | 'rpc' | 'extension';
    }
  | {
      readonly type: 'before_agent_start';
      readonly prompt: string;
      readonly images?: readonly ImageContent[];
      readonly systemPrompt: string;
    }
  | { readonly type: 'agent_start' }
  | { readonly type: 'agent_end'; readonly messages: readonly AgentMessage[] }
  | { readonly type: 'turn_start'; readonly turnIndex: number; readonly timestamp: number }
  | {
      readonly type: 'turn_end';
      readonly turnIndex: number;
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | { readonly type: 'message_start'; readonly message: AgentMessage }
  | {
      readonly type: 'message_update';
      readonly message: AssistantMessage;
      readonly assistantMessageEvent: AssistantMessageEvent;
    }
  | { readonly type: 'message_end'; readonly message: AgentMessage }
  | {
      readonly type: 'tool_execution_start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'tool_execution_update';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly partialResult: ToolResult;
    }
  | {
      readonly type: 'tool_execution_end';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly isError: boolean;
    }
  /** `messages` are the session's own objects: the runtime copies before a hook can change them. */
  | {
      readonly type: 'context';
      readonly messages: readonly AgentMessage[];
      readonly entryIds: readonly (string | null)[];
    }
  | { readonly type: 'before_provider_request'; readonly payload: unknown }
  | {
      readonly type: 'model_select';
      readonly model: Model<Api>;
      readonly previousModel: Model<Api> | undefined;
      readonly source: 'set' | 'cycle' | 'restore';
    }
  | { readonly type: 'thinking_level_select'; readonly level: string; readonly previousLevel: string }
  /**
   * `input` is the validated argument object that the tool will get: changes by hooks reach the tool (docs/dialects.md,
   * C24).
   */
  | {
      readonly type: 'tool_call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Record<string, unknown>;
    }
  | {
      readonly type: 'tool_result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Record<string, unknown>;
      readonly content: ContentPart[];
      readonly details: unknown;
      readonly isError: boolean;
    }
  | { readonly type: 'user_bash'; readonly command: string; readonly excludeFromContext: boolean; readonly cwd: string }
  | {
      readonly type: 'auto_compaction_start';
      readonly reason: 'threshold' | 'overflow' | 'idle';
      readonly action: 'context-full' | 'handoff';
    }
  | {
      readonly type: 'auto_compaction_end';
      readonly action: 'context-full' | 'handoff';
      readonly result: CompactionResult | undefined;
      readonly aborted: boolean;
      readonly willRetry: boolean;
      readonly errorMessage?: string;
      readonly skipped?: boolean;
    }
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
  | { readonly type: 'ttsr_triggered'; readonly rules: readonly unknown[] }
  | {
      readonly type: 'todo_reminder';
      readonly todos: readonly unknown[];
      readonly attempt: number;
      readonly maxAttempts: number;
    };

export type HookEventType = HookEvent['type'];
export type HookEventOf<T extends HookEventType> = Extract<HookEvent, { type: T }>;

interface Cancellable {
  readonly cancelled: boolean;
  /** Path of the hook that cancelled. */
  readonly by?: string;
}

/** What other tools may answer for a `user_bash`. */
export interface BashOutcome {
  readonly output: string;
  readonly exitCode: number | undefined;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
}

/** Replacement for running a command (docs/dialects.md, D23). */
export interface BashOperations {
  exec(
    command: string,
    cwd: string,
    options: { onData: (data: Buffer) => void; signal?: AbortSignal; timeout?: number; env?: NodeJS.ProcessEnv },
  ): Promise<{ exitCode: number | null }>;
}

/** What a dispatch of each event gives its caller, all hooks' answers merged by the policy table. */
export interface HookResults {
  resources_discover: {
    readonly skillPaths: readonly string[];
    readonly promptPaths: readonly string[];
    readonly themePaths: readonly string[];
  };
  session_directory: { readonly sessionDir?: string };
  session_before_switch: Cancellable;
  session_before_branch: Cancellable & { readonly skipConversationRestore: boolean };
  session_before_compact: Cancellable & { readonly compaction?: CompactionResult };
  session_compacting: {
    readonly context: readonly string[];
    readonly prompt?: string;
    readonly preserveData?: Record<string, unknown>;
  };
  session_before_tree: Cancellable & {
    readonly summary?: { readonly summary: string; readonly details?: unknown };
    readonly customInstructions?: string;
    readonly replaceInstructions?: boolean;
    readonly label?: string;
  };
  input:
    | { readonly action: 'continue'; readonly text: string; readonly images?: readonly ImageContent[] }
    | { readonly action: 'handled'; readonly by: string };
  before_agent_start: { readonly messages: readonly CustomMessageDraft[]; readonly systemPrompt: string };
  /** `entryIds` runs along `messages`; null for messages a hook made. */
  context: { readonly messages: readonly AgentMessage[] };
  before_provider_request: { readonly payload: unknown };
  tool_call: { readonly block: false } | { readonly block: true; readonly reason: string; readonly by: string };
  tool_result: { readonly content: ContentPart[]; readonly details: unknown; readonly isError: boolean };
  user_bash: { readonly operations?: BashOperations; readonly result?: BashOutcome } | undefined;
}

/** Result of a dispatch; `undefined` for events that only inform. */
export type HookResult<T extends HookEventType> = T extends keyof HookResults ? HookResults[T] : undefined;
