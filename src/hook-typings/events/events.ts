import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  ImageContent,
  Model,
  ToolResultMessage,
} from '@mariozechner/pi-ai';
import type { StoredCompactionEntry, SessionEntry, SessionHeader, RawEntry, ViewEntry } from '../session/entries';
import type {
  BoundaryState,
  BranchTarget,
  CompactionPreparation,
  CompactionResult,
  NormalizedBuildSystemPromptOptions,
  StreamRule,
  TodoItem,
  TreePreparation,
} from '../session/event-parts';
import type { RegisteredMcpServer } from '../registered/mcp';
import type { AgentMessage, CustomMessage, TranscriptMessage } from '../session/messages';
import type { AgentToolResult } from '../context/tool-definition';

/** Payload of `session_start`: a session is ready to be used. */
export interface SessionStartEvent {
  type: 'session_start';
  /** `reload`: this hook was reloaded. `new`, `resume` and `fork` come to ext and pi hooks only. */
  reason: 'startup' | 'reload' | 'new' | 'resume' | 'fork';
  /** The session that was in use, or shown, before; with `new`, `resume` and `fork`, unless it was not saved. */
  previousSessionFile?: string;
}

/** Payload of `session_before_switch`: another session is about to be used. Return `{ cancel: true }` to stay. */
export interface SessionBeforeSwitchEvent {
  type: 'session_before_switch';
  reason: 'new' | 'resume' | 'fork';
  /** The session to be opened; only with `resume`. */
  targetSessionFile?: string;
}

/** Payload of `session_switch`: another session is in use. */
export interface SessionSwitchEvent {
  type: 'session_switch';
  reason: 'new' | 'resume' | 'fork';
  previousSessionFile: string | undefined;
  /** As hooks older than v1 know it; `null` when the session is not saved. */
  newSessionFile: string | null;
}

/** Payload of `session_before_new` (tree code). A file that listens to it gets no `session_before_switch` for it. */
export interface SessionBeforeNewEvent extends Omit<SessionBeforeSwitchEvent, 'type'> {
  type: 'session_before_new';
}

/** Payload of `session_new` (tree code). */
export interface SessionNewEvent extends Omit<SessionSwitchEvent, 'type'> {
  type: 'session_new';
}

/** Payload of `session_before_branch`: a new session is about to be made from the part before a message. */
export interface SessionBeforeBranchEvent extends BranchTarget {
  type: 'session_before_branch';
}

/** Payload of `session_branch`: the branch is in use. */
export interface SessionBranchEvent extends BranchTarget {
  type: 'session_branch';
  previousSessionFile: string | undefined;
}

/** Payload of `session_before_fork`: ext's word for `session_before_branch`. */
export interface SessionBeforeForkEvent extends BranchTarget {
  type: 'session_before_fork';
  /** The new session ends before the entry, a message of the user, or with it. pi. */
  position: 'before' | 'at';
}

/** Payload of `session_fork`: ext's word for `session_branch`. */
export interface SessionForkEvent extends BranchTarget {
  type: 'session_fork';
  previousSessionFile: string | undefined;
}

/** Payload of `branch`, the question of hooks older than v1 before a branch. */
export interface BranchEvent extends BranchTarget {
  type: 'branch';
  entries: ViewEntry[];
}

/** Payload of `session_before_compact`: old messages are about to be replaced by a summary. */
export interface SessionBeforeCompactEvent {
  type: 'session_before_compact';
  preparation: CompactionPreparation;
  /** Path from the root to the leaf. */
  branchEntries: SessionEntry[];
  /** Newest first. */
  previousCompactions: StoredCompactionEntry[];
  /** Text behind `/compact`. */
  customInstructions: string | undefined;
  /** Asked for, or the context is nearly full, or a request did not fit. v1's `session` event has its own `reason`. */
  reason: 'manual' | 'threshold' | 'overflow';
  /** The request that did not fit is sent again afterwards. */
  willRetry: boolean;
  model: Model<Api>;
  /** Fires when the user cancels waiting; pass it to model calls. */
  signal: AbortSignal;
  /** The members below are v1's form of the same plan; `cutPoint` counts the header. */
  cutPoint: { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean };
  messagesToSummarize: AgentMessage[];
  messagesToKeep: AgentMessage[];
  tokensBefore: number;
  previousSummary: string | undefined;
  entries: ViewEntry[];
  resolveApiKey(model: Model<Api>): Promise<string | undefined>;
}

/** Payload of `session.compacting`: the default summary is about to be asked for. */
export interface SessionCompactingEvent {
  type: 'session.compacting';
  sessionId: string;
  messages: AgentMessage[];
}

/** Payload of `session_compact`: a compaction was stored. */
export interface SessionCompactEvent {
  type: 'session_compact';
  compactionEntry: StoredCompactionEntry;
  tokensBefore: number;
  /** The summary came from a hook. */
  fromHook: boolean;
  fromExtension: boolean;
  /** As in `session_before_compact`. */
  reason: 'manual' | 'threshold' | 'overflow';
  willRetry: boolean;
}

/** Payload of `session_compact_failed`: a compaction that had begun came to nothing. */
export interface SessionCompactFailedEvent {
  type: 'session_compact_failed';
  reason: 'manual' | 'threshold' | 'overflow';
  /** Absent when it was cancelled. */
  errorMessage?: string;
  /** The user gave up, or a hook cancelled it. */
  aborted: boolean;
  willRetry: boolean;
  /** The summary came from a hook. */
  fromExtension: boolean;
}

/** Payload of `session_before_tree`: the user is about to move in the session tree. */
export interface SessionBeforeTreeEvent {
  type: 'session_before_tree';
  preparation: TreePreparation;
  model: Model<Api> | undefined;
  signal: AbortSignal;
}

/** Payload of `session_tree`: the user moved in the session tree. */
export interface SessionTreeEvent {
  type: 'session_tree';
  newLeafId: string | null;
  oldLeafId: string | null;
  summaryEntry?: SessionEntry;
  fromHook?: boolean;
  fromExtension?: boolean;
}

/** Payload of `session_shutdown`: the session or this load of the hook ends. What the load opened is closed for it. */
export interface SessionShutdownEvent {
  type: 'session_shutdown';
  /** `new`, `resume` and `fork` come to pi hooks only: the conversation goes on with another session. */
  reason: 'quit' | 'reload' | 'new' | 'resume' | 'fork';
  /** The session that takes its place; with `new`, `resume` and `fork`, if it is saved. */
  targetSessionFile?: string;
}

/** Payload of `session_directory`: where session files go. Asked once, at the start. */
export interface SessionDirectoryEvent {
  type: 'session_directory';
  cwd: string;
}

/** Payload of `project_trust`: may what is in this folder run here? Asked of hooks from outside of the folder alone. */
export interface ProjectTrustEvent {
  type: 'project_trust';
  cwd: string;
}

/** Payload of `resources_discover`: which further skills, prompts and themes there are. */
export interface ResourcesDiscoverEvent {
  type: 'resources_discover';
  cwd: string;
  reason: 'startup' | 'reload';
}

/** Payload of `input`: the user sent a text that names no command of a hook. */
export interface InputEvent {
  type: 'input';
  /** As the handlers before this one left it. */
  text: string;
  images?: ImageContent[];
  /** `extension`: it was sent with `pi.sendUserMessage`. */
  source: 'interactive' | 'rpc' | 'extension';
  /** How a text that comes while the agent works is to reach it; absent when it is idle. */
  streamingBehavior?: 'steer' | 'followUp';
}

/** Payload of `before_agent_start`: a run is about to start. */
export interface BeforeAgentStartEvent {
  type: 'before_agent_start';
  /** `user`: a prompt, or a text of a hook. `custom`: `pi.sendMessage` with `triggerTurn`; today's pi alone hears of it. */
  messageType: 'user' | 'custom';
  /** Not there for `custom`, nor are `images` and `userMessage`. */
  prompt: string;
  images?: ImageContent[];
  /** As the handlers before this one left it; in today's pi also as this one changes `systemPromptOptions`. */
  systemPrompt: string;
  /** What it is made from, for files of today's pi to change. */
  systemPromptOptions: NormalizedBuildSystemPromptOptions;
  /** The message that starts the run, where that is `custom`. */
  message: CustomMessage;
  /** The prompt as a message (tree). */
  userMessage: { role: 'user'; content: { type: string; text?: string }[]; timestamp: number };
}

/** A run that a prompt starts. */
export interface BeforeAgentStartUserEvent extends Omit<BeforeAgentStartEvent, 'message'> {
  messageType: 'user';
}

/** A run that a message of a hook starts. */
export interface BeforeAgentStartCustomEvent extends Omit<BeforeAgentStartEvent, 'prompt' | 'images' | 'userMessage'> {
  messageType: 'custom';
}

/** Payload of `agent_start`: the agent begins to work on a prompt. */
export interface AgentStartEvent {
  type: 'agent_start';
}

/** Payload of `agent_end`: the agent is done; also after an error, a stop, and before each retry. */
export interface AgentEndEvent {
  type: 'agent_end';
  /** What this run added, its prompt included; not the whole conversation. */
  messages: AgentMessage[];
}

/** Payload of `agent_settled`: nothing is left to do, after all retries, compactions and queued messages. */
export interface AgentSettledEvent {
  type: 'agent_settled';
  /** The last run was stopped. */
  aborted: boolean;
}

/** Payload of `turn_start`: one model call with the tools it asks for begins. */
export interface TurnStartEvent {
  type: 'turn_start';
  /** Counts from 0 within the run; unrelated to entry indexes. */
  turnIndex: number;
  /** ms since 1970 */
  timestamp: number;
}

/** Payload of `turn_end`. All but the first three members are there for files of today's pi. */
export interface TurnEndEvent extends BoundaryState {
  type: 'turn_end';
  turnIndex: number;
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  /** Empty when the answer could not be written. */
  messageEntryId: string;
  toolResultEntryIds: string[];
}

/** Payload of `agent_before_settle`: nothing is left to do, unless an answer to this asks for more. Not after a stop. */
export interface AgentBeforeSettleEvent extends BoundaryState {
  type: 'agent_before_settle';
}

/** Payload of `message_start`: a message of any role begins. */
export interface MessageStartEvent {
  type: 'message_start';
  message: AgentMessage;
}

/** Payload of `message_update`: a piece of the model's answer came. */
export interface MessageUpdateEvent {
  type: 'message_update';
  /** The answer so far. */
  message: AssistantMessage;
  assistantMessageEvent: AssistantMessageEvent;
}

/** Payload of `message_end`: the message is complete and about to be stored. An answer may replace it. */
export interface MessageEndEvent {
  type: 'message_end';
  message: AgentMessage;
}

/** Payload of `tool_execution_start`: comes before `tool_call`. */
export interface ToolExecutionStartEvent {
  type: 'tool_execution_start';
  toolCallId: string;
  /** The call whose tool makes this one. pi. */
  parentToolCallId?: string;
  toolName: string;
  args: Record<string, unknown>;
}

/** Payload of `tool_execution_update`: output so far. */
export interface ToolExecutionUpdateEvent {
  type: 'tool_execution_update';
  toolCallId: string;
  /** The call whose tool makes this one. pi. */
  parentToolCallId?: string;
  toolName: string;
  args: Record<string, unknown>;
  partialResult: AgentToolResult;
}

/** Payload of `tool_execution_end`: comes after `tool_result`. */
export interface ToolExecutionEndEvent {
  type: 'tool_execution_end';
  toolCallId: string;
  /** The call whose tool makes this one. pi. */
  parentToolCallId?: string;
  toolName: string;
  result: AgentToolResult;
  isError: boolean;
  /** How long the tool ran, in ms; absent when it did not. pi. */
  durationMs?: number;
}

/** Payload of `context`: the messages that the next model call will get. */
export interface ContextEvent<Element = AgentMessage> {
  type: 'context';
  /** A deep copy, as the handlers before this one left it; changes reach this one call and never the session. */
  messages: Element[];
  /** The session as v2 counts it: the header at index 0, raw entries included. */
  entries: (ViewEntry | RawEntry)[];
}

/** Payload of `context_with_system`: as `context`, after it, with the system prompt and the tools as system messages. */
export interface ContextWithSystemEvent {
  type: 'context_with_system';
  /** A deep copy. What becomes of it is sent as it is, prompt and tools included. */
  messages: TranscriptMessage[];
}

/** Payload of `before_provider_request`: what is about to be sent to the provider, in the provider's own form. */
export interface BeforeProviderRequestEvent {
  type: 'before_provider_request';
  payload: unknown;
}

/** Payload of `ui_prompt_start`: a user is asked something by a hook. Nobody waits for handlers. */
export interface UIPromptStartEvent {
  type: 'ui_prompt_start';
  reason: 'ui_prompt';
  kind: 'select' | 'confirm' | 'input' | 'editor' | 'custom';
  title?: string;
}

/** Payload of `ui_prompt_end`: nothing is asked any more. Told with what was asked first of what overlapped. */
export interface UIPromptEndEvent extends Omit<UIPromptStartEvent, 'type'> {
  type: 'ui_prompt_end';
}

/**
 * Payload of `before_provider_headers`: the headers beside the client's own. Change them in place: a text sets one, `null`
 * takes one away that would be sent.
 */
export interface BeforeProviderHeadersEvent {
  type: 'before_provider_headers';
  headers: Record<string, string | null>;
}

/** Payload of `after_provider_response`: the provider began to answer; nothing of the answer was read yet. */
export interface AfterProviderResponseEvent {
  type: 'after_provider_response';
  /** HTTP status code. */
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
}

/** Payload of `provider_stream_event`: a piece of the answer as the provider sent it. */
export interface ProviderStreamEvent {
  type: 'provider_stream_event';
  provider: string;
  api: Api;
  /** Id of the model. */
  model: string;
  /** In the provider's own form, parsed. */
  data: unknown;
}

/** Payload of `cache_warming_decision`: before a request is repeated so that the provider's cache of it stays. */
export interface CacheWarmingDecisionEvent {
  type: 'cache_warming_decision';
  /** US dollars that a refresh costs. */
  warmCost: number;
  /** US dollars that the next request costs more without one. */
  missCost: number;
  /** From 0 to 1: that a request comes in time. */
  continuationProbability: number;
  action: 'warm' | 'stop';
}

/** Payload of `mcp_servers_change`: a hook registered an MCP server or took one back. */
export interface McpServersChangeEvent {
  type: 'mcp_servers_change';
  /** All that are registered now. */
  servers: RegisteredMcpServer[];
}

/** Payload of `model_select`: another model is in use. */
export interface ModelSelectEvent {
  type: 'model_select';
  model: Model<Api>;
  previousModel: Model<Api> | undefined;
  source: 'set' | 'cycle' | 'restore';
}

/** Payload of `session_info_changed`: the session has another name. */
export interface SessionInfoChangedEvent {
  type: 'session_info_changed';
  name: string | undefined;
}

/** Payload of `thinking_level_select`: the model is to think more or less. */
export interface ThinkingLevelSelectEvent {
  type: 'thinking_level_select';
  level: string;
  previousLevel: string;
}

/** Payload of `user_bash`: the user typed `!command` (or `!!command`). */
export interface UserBashEvent {
  type: 'user_bash';
  command: string;
  /** `!!`: the model will not see the output. */
  excludeFromContext: boolean;
  cwd: string;
}

/** Payload of `auto_compaction_start`. */
export interface AutoCompactionStartEvent {
  type: 'auto_compaction_start';
  reason: 'threshold' | 'overflow' | 'idle';
  action: 'context-full' | 'handoff';
}

/** Payload of `auto_compaction_end`. */
export interface AutoCompactionEndEvent {
  type: 'auto_compaction_end';
  action: 'context-full' | 'handoff';
  result: CompactionResult | undefined;
  aborted: boolean;
  /** The prompt that did not fit is tried again. */
  willRetry: boolean;
  errorMessage?: string;
  skipped?: boolean;
}

/** Payload of `auto_retry_start`: the provider failed in a way that may pass. */
export interface AutoRetryStartEvent {
  type: 'auto_retry_start';
  /** Counts from 1. */
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  errorMessage: string;
}

/** Payload of `auto_retry_end`. */
export interface AutoRetryEndEvent {
  type: 'auto_retry_end';
  success: boolean;
  attempt: number;
  finalError?: string;
}

/** Payload of `ttsr_triggered`: what the model wrote matched stream rules, and it was interrupted. */
export interface TtsrTriggeredEvent {
  type: 'ttsr_triggered';
  rules: StreamRule[];
}

/** Payload of `todo_reminder`: the model stopped with todos left, and was reminded of them. */
export interface TodoReminderEvent {
  type: 'todo_reminder';
  todos: TodoItem[];
  attempt: number;
  maxAttempts: number;
}

/**
 * Payload of `session_stop`: nothing is left to do, unless an answer to this asks for more. It is also sent after an
 * error, but not after a stop by the user or a hook, or after an answer with tool calls.
 */
export interface SessionStopEvent {
  type: 'session_stop';
  messages: AgentMessage[];
  /** Index of the last turn; starts at 0 in each run. */
  turn_id: number;
  last_assistant_message?: AgentMessage;
  session_id: string;
  /** Absolute. Absent if the session has no file. */
  session_file?: string;
  /** The agent went on because of an answer to this event. */
  stop_hook_active: boolean;
  /** Fires when the agent is stopped. */
  signal: AbortSignal;
}

/** Header, entries and raw entries: what `entries` of the **v2** dialect holds. */
export type V2Entry = SessionHeader | SessionEntry | RawEntry;
