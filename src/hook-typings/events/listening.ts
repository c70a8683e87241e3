/* eslint-disable @typescript-eslint/no-invalid-void-type -- a handler may return nothing, as an arrow without braces does */
import type * as E from './events';
import type * as R from './results';
import type { SessionEvent } from './session-event';
import type { ToolCallEvent, ToolResultEvent } from '../context/tools';

/** A handler may be sync or async; returning nothing changes nothing. */
export type Handler<Event, Ctx, Result = never> = (
  event: Event,
  ctx: Ctx,
) => Result | undefined | void | Promise<Result | undefined | void>;

/** Payload and answer of every event, by the name under which a hook listens to it. */
export interface HookEvents<Element> {
  session: [SessionEvent, R.SessionEventResult];
  session_start: [E.SessionStartEvent];
  session_before_switch: [E.SessionBeforeSwitchEvent, R.SessionBeforeSwitchResult];
  session_switch: [E.SessionSwitchEvent];
  session_before_new: [E.SessionBeforeNewEvent, R.SessionBeforeSwitchResult];
  session_new: [E.SessionNewEvent];
  session_before_branch: [E.SessionBeforeBranchEvent, R.SessionBeforeForkResult];
  session_branch: [E.SessionBranchEvent];
  session_before_fork: [E.SessionBeforeForkEvent, R.SessionBeforeForkResult];
  session_fork: [E.SessionForkEvent];
  branch: [E.BranchEvent, R.SessionBeforeForkResult];
  session_before_compact: [E.SessionBeforeCompactEvent, R.SessionBeforeCompactResult];
  'session.compacting': [E.SessionCompactingEvent, R.SessionCompactingResult];
  session_compact: [E.SessionCompactEvent];
  session_compact_failed: [E.SessionCompactFailedEvent];
  session_before_tree: [E.SessionBeforeTreeEvent, R.SessionBeforeTreeResult];
  session_tree: [E.SessionTreeEvent];
  session_shutdown: [E.SessionShutdownEvent];
  session_directory: [E.SessionDirectoryEvent, R.SessionDirectoryResult];
  project_trust: [E.ProjectTrustEvent, R.ProjectTrustEventResult];
  resources_discover: [E.ResourcesDiscoverEvent, R.ResourcesDiscoverResult];
  input: [E.InputEvent, R.InputEventResult];
  before_agent_start: [E.BeforeAgentStartEvent, R.BeforeAgentStartEventResult];
  agent_start: [E.AgentStartEvent];
  agent_end: [E.AgentEndEvent];
  agent_before_settle: [E.AgentBeforeSettleEvent, R.AgentBeforeSettleEventResult];
  agent_settled: [E.AgentSettledEvent];
  session_info_changed: [E.SessionInfoChangedEvent];
  turn_start: [E.TurnStartEvent];
  turn_end: [E.TurnEndEvent, R.TurnEndEventResult];
  message_start: [E.MessageStartEvent];
  message_update: [E.MessageUpdateEvent];
  message_end: [E.MessageEndEvent, R.MessageEndEventResult];
  tool_execution_start: [E.ToolExecutionStartEvent];
  tool_execution_update: [E.ToolExecutionUpdateEvent];
  tool_execution_end: [E.ToolExecutionEndEvent];
  tool_call: [ToolCallEvent, R.ToolCallEventResult];
  tool_result: [ToolResultEvent, R.ToolResultEventResult];
  context: [E.ContextEvent<Element>, R.ContextEventResult];
  context_with_system: [E.ContextWithSystemEvent, R.ContextWithSystemEventResult];
  before_provider_headers: [E.BeforeProviderHeadersEvent];
  before_provider_request: [E.BeforeProviderRequestEvent, object];
  after_provider_response: [E.AfterProviderResponseEvent];
  provider_stream_event: [E.ProviderStreamEvent];
  cache_warming_decision: [E.CacheWarmingDecisionEvent, R.CacheWarmingDecisionEventResult];
  mcp_servers_change: [E.McpServersChangeEvent];
  ui_prompt_start: [E.UIPromptStartEvent];
  ui_prompt_end: [E.UIPromptEndEvent];
  model_select: [E.ModelSelectEvent];
  thinking_level_select: [E.ThinkingLevelSelectEvent];
  user_bash: [E.UserBashEvent, R.UserBashEventResult];
  auto_compaction_start: [E.AutoCompactionStartEvent];
  auto_compaction_end: [E.AutoCompactionEndEvent];
  auto_retry_start: [E.AutoRetryStartEvent];
  auto_retry_end: [E.AutoRetryEndEvent];
  ttsr_triggered: [E.TtsrTriggeredEvent];
  todo_reminder: [E.TodoReminderEvent];
  session_stop: [E.SessionStopEvent, R.SessionStopEventResult];
}

/** Every name that `pi.on` knows. */
export type HookEventName = keyof HookEvents<never>;

type HandlerOf<N extends HookEventName, Ctx, Element> = HookEvents<Element>[N] extends [infer Event, infer Result]
  ? Handler<Event, Ctx, Result>
  : HookEvents<Element>[N] extends [infer Event]
    ? Handler<Event, Ctx>
    : never;

/**
 * `pi.on`. Every file may listen to every event, whatever its dialect; handlers run one after the other, in the order of
 * loading and then of registration.
 */
export interface Listening<Ctx, Element> {
  /**
   * A tool is about to run. **Can block.** No timeout: ask the user as long as it takes.
   *
   * Return `{ block: true, reason }` to stop it, nothing to let it run. A handler that throws also stops it. Comes after
   * the arguments were checked; changes to `event.input` reach the tool (not in omp). All dialects.
   */
  on(event: 'tool_call', handler: HandlerOf<'tool_call', Ctx, Element>): () => void;
  /**
   * A tool ran; the model has not read the result yet. **Can change it.**
   *
   * Return `{ content }` or `{ details }`; ext also `{ isError }`. Failures come too, with `isError: true`, and only ext
   * may change them. Not sent for blocked tools. All dialects.
   */
  on(event: 'tool_result', handler: HandlerOf<'tool_result', Ctx, Element>): () => void;
  /**
   * One lifecycle event for everything, told apart by `event.reason`: `start`, `before_switch`, `switch`,
   * `before_clear`/`clear` (v1) or `before_new`/`new` (tree), `before_branch`, `branch`, `before_compact`, `compact`,
   * `shutdown`.
   *
   * The `before_*` ones can be cancelled with `{ cancel: true }`. v1, v2, tree.
   */
  on(event: 'session', handler: HandlerOf<'session', Ctx, Element>): () => void;
  /** The session is ready, or this hook was reloaded: read your state back, open what you need. tree code, omp, ext. */
  on(event: 'session_start', handler: HandlerOf<'session_start', Ctx, Element>): () => void;
  /** Before a new session, resume or fork. Return `{ cancel: true }` to stay. tree code, omp, ext. */
  on(event: 'session_before_switch', handler: HandlerOf<'session_before_switch', Ctx, Element>): () => void;
  /** After a new session, resume or fork. tree code, omp, ext. */
  on(event: 'session_switch', handler: HandlerOf<'session_switch', Ctx, Element>): () => void;
  /** Before a new session. Return `{ cancel: true }` to stay. tree code; replaces `session_before_switch` in the file. */
  on(event: 'session_before_new', handler: HandlerOf<'session_before_new', Ctx, Element>): () => void;
  /** After a new session. tree code; replaces `session_switch` in the file. */
  on(event: 'session_new', handler: HandlerOf<'session_new', Ctx, Element>): () => void;
  /** Before a branch. Return `{ cancel: true }` or `{ skipConversationRestore: true }`. tree code, omp. */
  on(event: 'session_before_branch', handler: HandlerOf<'session_before_branch', Ctx, Element>): () => void;
  /** After a branch. tree code, omp. */
  on(event: 'session_branch', handler: HandlerOf<'session_branch', Ctx, Element>): () => void;
  /** Before a fork. Return `{ cancel: true }` or `{ skipConversationRestore: true }`. ext. */
  on(event: 'session_before_fork', handler: HandlerOf<'session_before_fork', Ctx, Element>): () => void;
  /** After a fork. ext. */
  on(event: 'session_fork', handler: HandlerOf<'session_fork', Ctx, Element>): () => void;
  /** Before a branch, in hooks older than v1. */
  on(event: 'branch', handler: HandlerOf<'branch', Ctx, Element>): () => void;
  /**
   * Old messages are about to be replaced by a summary, because the user asked or because the context is full.
   *
   * Return `{ compaction: { summary, firstKeptEntryId, tokensBefore } }` for a summary of your own, `{ cancel: true }` to
   * prevent it. Pass `event.signal` to model calls. tree code, omp, ext.
   */
  on(event: 'session_before_compact', handler: HandlerOf<'session_before_compact', Ctx, Element>): () => void;
  /** The default summary is about to be asked for. Return `{ context, prompt, preserveData }`. omp. */
  on(event: 'session.compacting', handler: HandlerOf<'session.compacting', Ctx, Element>): () => void;
  /** A compaction was stored. tree code, omp, ext. */
  on(event: 'session_compact', handler: HandlerOf<'session_compact', Ctx, Element>): () => void;
  /** A compaction that had begun failed or was cancelled. pi. */
  on(event: 'session_compact_failed', handler: HandlerOf<'session_compact_failed', Ctx, Element>): () => void;
  /** Before a move in the session tree. Return `{ cancel: true }`, or a `summary` if one is wanted. tree code, omp, ext. */
  on(event: 'session_before_tree', handler: HandlerOf<'session_before_tree', Ctx, Element>): () => void;
  /** After a move in the session tree. tree code, omp, ext. */
  on(event: 'session_tree', handler: HandlerOf<'session_tree', Ctx, Element>): () => void;
  /** The session ends, or this load of the hook does. Be quick. tree code, omp, ext. */
  on(event: 'session_shutdown', handler: HandlerOf<'session_shutdown', Ctx, Element>): () => void;
  /** Where session files go; asked once, at the start, without a `ctx`. ext. */
  on(event: 'session_directory', handler: HandlerOf<'session_directory', undefined, Element>): () => void;
  /** Whether the folder's hooks, settings and resources count. Return `{ trusted: 'yes' | 'no' | 'undecided' }`. pi. */
  on(event: 'project_trust', handler: HandlerOf<'project_trust', Ctx, Element>): () => void;
  /** Which further skills, prompts and themes there are. Return `{ skillPaths, promptPaths, themePaths }`. ext. */
  on(event: 'resources_discover', handler: HandlerOf<'resources_discover', Ctx, Element>): () => void;
  /**
   * The user sent a text that names no command of a hook.
   *
   * Return `{ action: 'transform', text }` to rewrite it (the next handler sees that), `{ action: 'handled' }` to swallow
   * it, nothing to let it pass. ext.
   */
  on(event: 'input', handler: HandlerOf<'input', Ctx, Element>): () => void;
  /**
   * A prompt is about to be run; once per prompt. pi: also before a message of a hook that starts a run.
   *
   * Return `{ message }` to put a message behind it, `{ systemPrompt }` to change the system prompt for this run. tree,
   * omp (first message wins), ext (all messages count, the prompt chains). pi: change `event.systemPromptOptions`, so that
   * the model gets only what is new.
   */
  on(event: 'before_agent_start', handler: HandlerOf<'before_agent_start', Ctx, Element>): () => void;
  /** The agent begins to work on a prompt. All dialects. */
  on(event: 'agent_start', handler: HandlerOf<'agent_start', Ctx, Element>): () => void;
  /** The agent is done, whatever the reason. All dialects. */
  on(event: 'agent_end', handler: HandlerOf<'agent_end', Ctx, Element>): () => void;
  /** One model call, with the tools it asks for, begins. All dialects. */
  on(event: 'turn_start', handler: HandlerOf<'turn_start', Ctx, Element>): () => void;
  /**
   * A model call and its tools are done. All dialects.
   *
   * pi: return `{ entries }` to put entries into the session, `{ continue: true }` for one further request.
   */
  on(event: 'turn_end', handler: HandlerOf<'turn_end', Ctx, Element>): () => void;
  /** Nothing is left to do. Return `{ entries, continue }` as for `turn_end`. pi. */
  on(event: 'agent_before_settle', handler: HandlerOf<'agent_before_settle', Ctx, Element>): () => void;
  /** Nothing is left to do: after retries, compactions and queued messages. Send what comes next from here. pi. */
  on(event: 'agent_settled', handler: HandlerOf<'agent_settled', Ctx, Element>): () => void;
  /** The session has another name. pi. */
  on(event: 'session_info_changed', handler: HandlerOf<'session_info_changed', Ctx, Element>): () => void;
  /** A message of any role begins. ext. */
  on(event: 'message_start', handler: HandlerOf<'message_start', Ctx, Element>): () => void;
  /** A piece of the model's answer came: often, so be quick. ext. */
  on(event: 'message_update', handler: HandlerOf<'message_update', Ctx, Element>): () => void;
  /** A message is complete. Return `{ message }` of the same role to store, show and send that instead. ext. */
  on(event: 'message_end', handler: HandlerOf<'message_end', Ctx, Element>): () => void;
  /** A tool call begins, before `tool_call`. ext. */
  on(event: 'tool_execution_start', handler: HandlerOf<'tool_execution_start', Ctx, Element>): () => void;
  /** A running tool printed something. ext. */
  on(event: 'tool_execution_update', handler: HandlerOf<'tool_execution_update', Ctx, Element>): () => void;
  /** A tool call is over, after `tool_result`. ext. */
  on(event: 'tool_execution_end', handler: HandlerOf<'tool_execution_end', Ctx, Element>): () => void;
  /**
   * The model is about to be called. **Can change what it gets**, for this call only.
   *
   * Return `{ messages }`; the next handler sees them. v2 (wrapped messages, with their index), tree, omp, ext.
   */
  on(event: 'context', handler: HandlerOf<'context', Ctx, Element>): () => void;
  /**
   * As `context`, with the system prompt and the tools in system messages: what you return is sent as it is. Keep the
   * leading one. pi.
   */
  on(event: 'context_with_system', handler: HandlerOf<'context_with_system', Ctx, Element>): () => void;
  /** The headers of a request are known. Change `event.headers` in place; `null` takes one away. pi. */
  on(event: 'before_provider_headers', handler: HandlerOf<'before_provider_headers', Ctx, Element>): () => void;
  /** A request is about to be sent. Return an object to send that instead. ext. */
  on(event: 'before_provider_request', handler: HandlerOf<'before_provider_request', Ctx, Element>): () => void;
  /** The provider answered with a status and headers; its reply comes next. ext, pi. */
  on(event: 'after_provider_response', handler: HandlerOf<'after_provider_response', Ctx, Element>): () => void;
  /** A piece of the reply in the provider's own form: the reply waits for you, so be quick. pi. */
  on(event: 'provider_stream_event', handler: HandlerOf<'provider_stream_event', Ctx, Element>): () => void;
  /** Never sent: Hookline keeps no prompt caches warm. pi. */
  on(event: 'cache_warming_decision', handler: HandlerOf<'cache_warming_decision', Ctx, Element>): () => void;
  /** A hook registered an MCP server or took one back. pi. */
  on(event: 'mcp_servers_change', handler: HandlerOf<'mcp_servers_change', Ctx, Element>): () => void;
  /** A hook asks the user something; overlapping questions cause one event. pi. */
  on(event: 'ui_prompt_start', handler: HandlerOf<'ui_prompt_start', Ctx, Element>): () => void;
  /** The user is asked nothing any more. pi. */
  on(event: 'ui_prompt_end', handler: HandlerOf<'ui_prompt_end', Ctx, Element>): () => void;
  /** Another model is in use. ext. */
  on(event: 'model_select', handler: HandlerOf<'model_select', Ctx, Element>): () => void;
  /** The thinking level changed. ext. */
  on(event: 'thinking_level_select', handler: HandlerOf<'thinking_level_select', Ctx, Element>): () => void;
  /** The user typed `!command`. Return `{ operations }` to run it elsewhere, `{ result }` to answer for it. ext. */
  on(event: 'user_bash', handler: HandlerOf<'user_bash', Ctx, Element>): () => void;
  /** The context is full and is about to be summarized. omp. */
  on(event: 'auto_compaction_start', handler: HandlerOf<'auto_compaction_start', Ctx, Element>): () => void;
  /** An automatic compaction is over. omp. */
  on(event: 'auto_compaction_end', handler: HandlerOf<'auto_compaction_end', Ctx, Element>): () => void;
  /** A failed request is about to be tried again. omp. */
  on(event: 'auto_retry_start', handler: HandlerOf<'auto_retry_start', Ctx, Element>): () => void;
  /** Retrying is over. omp. */
  on(event: 'auto_retry_end', handler: HandlerOf<'auto_retry_end', Ctx, Element>): () => void;
  /** A stream rule matched what the model was writing, and interrupted it. omp. */
  on(event: 'ttsr_triggered', handler: HandlerOf<'ttsr_triggered', Ctx, Element>): () => void;
  /** The model stopped with todos left and is reminded of them. omp. */
  on(event: 'todo_reminder', handler: HandlerOf<'todo_reminder', Ctx, Element>): () => void;
  /**
   * The agent is about to stop. **Can make it go on.** omp.
   *
   * Return `{ decision: 'block', reason }` or `{ continue: true, additionalContext }`: the model gets the text. Look at
   * `stop_hook_active`, so that the agent can stop at some time.
   */
  on(event: 'session_stop', handler: HandlerOf<'session_stop', Ctx, Element>): () => void;
  /** Listens to an event. A misspelt name would never fire, which is why only known ones compile. */
  on<N extends HookEventName>(event: N, handler: HandlerOf<N, Ctx, Element>): () => void;
}
