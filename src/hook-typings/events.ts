import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  ImageContent,
  Model,
  ToolResultMessage,
} from '@mariozechner/pi-ai';
import type { StoredCompactionEntry, SessionEntry, SessionHeader, RawEntry, ViewEntry } from './entries';
import type {
  BranchTarget,
  CompactionPreparation,
  CompactionResult,
  StreamRule,
  TodoItem,
  TreePreparation,
} from './event-parts';
import type { AgentMessage } from './messages';
import type { AgentToolResult } from './tool-definition';

/** Payload of `session_start`: a session is ready to be used. */
export interface SessionStartEvent {
  type: 'session_start';
  /** `reload`: this hook was loaded anew. `switch`, `fork`, `new` come to ext hooks only. */
  reason: 'startup' | 'reload' | 'switch' | 'fork' | 'new';
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
  /** Fires when the user gives up waiting; pass it to model calls. */
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
  reason: 'quit' | 'reload';
}

/** Payload of `session_directory`: where session files go. Asked once, at the start. */
export interface SessionDirectoryEvent {
  type: 'session_directory';
  cwd: string;
}

/** Payload of `project_trust`: may what lies in this folder run here? Asked of hooks from outside of the folder alone. */
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

/** Payload of `before_agent_start`: a prompt is about to be run. */
export interface BeforeAgentStartEvent {
  type: 'before_agent_start';
  /** A prompt of the user, or a text of a hook. */
  messageType: 'user';
  prompt: string;
  images?: ImageContent[];
  /** As the handlers before this one left it. */
  systemPrompt: string;
  /** The prompt as a message (tree document). */
  userMessage: { role: 'user'; content: { type: string; text?: string }[]; timestamp: number };
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

/** Payload of `turn_end`. */
export interface TurnEndEvent {
  type: 'turn_end';
  turnIndex: number;
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
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

/** Payload of `message_end`: the message is complete and about to be stored. */
export interface MessageEndEvent {
  type: 'message_end';
  message: AgentMessage;
}

/** Payload of `tool_execution_start`: comes before `tool_call`. */
export interface ToolExecutionStartEvent {
  type: 'tool_execution_start';
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
}

/** Payload of `tool_execution_update`: output so far. */
export interface ToolExecutionUpdateEvent {
  type: 'tool_execution_update';
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
  partialResult: AgentToolResult;
}

/** Payload of `tool_execution_end`: comes after `tool_result`. */
export interface ToolExecutionEndEvent {
  type: 'tool_execution_end';
  toolCallId: string;
  toolName: string;
  result: AgentToolResult;
  isError: boolean;
}

/** Payload of `context`: the messages that the next model call will get. */
export interface ContextEvent<Element = AgentMessage> {
  type: 'context';
  /** A deep copy, as the handlers before this one left it; changes reach this one call and never the session. */
  messages: Element[];
  /** The session as v2 counts it: the header at index 0, raw entries included. */
  entries: (ViewEntry | RawEntry)[];
}

/** Payload of `before_provider_request`: what is about to be sent to the provider, in the provider's own form. */
export interface BeforeProviderRequestEvent {
  type: 'before_provider_request';
  payload: unknown;
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

/** Header, entries and raw entries: what `entries` of the **v2** dialect holds. */
export type V2Entry = SessionHeader | SessionEntry | RawEntry;
