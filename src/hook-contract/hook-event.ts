import type { Usage } from '@mariozechner/pi-ai';
import type { AgentMessage, ContentPart, ConversationMessage, CustomMessage, ImageContent } from '../agent/messages';
import type { PromptOptions } from '../agent/prompt/system-prompt';
import type { SessionEntryBase } from '../hook-typings/session/entries';
import type * as parts from '../hook-typings/session/event-parts';
import type { HookEventName, HookEvents as DeclaredEvents } from '../hook-typings/events/listening';
import type {
  AgentMessage as DeclaredMessage,
  CustomMessageDraft as DeclaredDraft,
} from '../hook-typings/session/messages';
import type * as results from '../hook-typings/events/results';
import type { CustomToolCallEvent, CustomToolResultEvent } from '../hook-typings/context/tools';

/** A session entry as in session files and for hooks; the agent layer defines the exact kinds. */
export type EntryLike = Readonly<SessionEntryBase>;
export type CompactionPreparation = Readonly<parts.CompactionPreparation> & {
  readonly messagesToSummarize: ConversationMessage[];
  readonly messagesToKeep: ConversationMessage[];
  readonly turnPrefixMessages: ConversationMessage[];
};
export type TreePreparation = InStream<parts.TreePreparation>;
export type CompactionResult = Readonly<parts.CompactionResult>;
export type CustomMessageDraft = Readonly<DeclaredDraft>;
export type BashOutcome = Readonly<parts.BashOutcome>;
export type BashOperations = parts.BashOperations;

/** The payload of handlers by the name under which they listen, from the declarations for hook authors. */
export interface Payloads extends Omit<DeclaredEventPayloads, 'tool_call' | 'tool_result'> {
  tool_call: CustomToolCallEvent;
  tool_result: CustomToolResultEvent;
}
type DeclaredEventPayloads = { [N in HookEventName]: DeclaredEvents<DeclaredMessage>[N][0] };

/** Names under which some files listen to an event that has another name in the stream. */
type OtherName =
  | 'session'
  | 'session_before_new'
  | 'session_new'
  | 'session_before_fork'
  | 'session_fork'
  | 'branch'
  | 'session.compacting';

/** Members of a payload that are computed for the hook that gets it; events in the stream do not have them. */
export interface ComputedMembers {
  session_switch: 'newSessionFile';
  session_before_branch: 'targetTurnIndex' | 'entryIndex';
  session_branch: 'targetTurnIndex' | 'entryIndex';
  session_before_compact:
    | 'cutPoint'
    | 'messagesToSummarize'
    | 'messagesToKeep'
    | 'tokensBefore'
    | 'previousSummary'
    | 'customInstructions'
    | 'entries'
    | 'resolveApiKey';
  session_compact: 'fromExtension';
  session_tree: 'fromExtension';
  before_agent_start: 'userMessage' | 'messageType' | 'prompt' | 'message' | 'systemPromptOptions';
  context: 'entries';
  tool_result: 'content' | 'result';
  turn_end: 'context';
  agent_before_settle: 'context';
}

/** Members that only events in the stream have. */
interface OnlyInStream {
  session_before_branch: Pick<Payloads['session_before_fork'], 'position'>;
  session_before_compact: { readonly customInstructions?: string };
  /** `entryIds` are the entries of `messages`, the session's own objects, by index; null for one without an entry. */
  context: { readonly entryIds: readonly (string | null)[] };
  before_provider_headers: { readonly headers: Readonly<Record<string, string | null>> };
  tool_result: { readonly content: ContentPart[] };
  before_agent_start: {
    /** Empty if a message of a hook starts the run. */
    readonly prompt: string;
    readonly message?: CustomMessage;
    /** What the prompt is made from; handlers change it in place. Absent when there is only the text of the prompt. */
    readonly options?: PromptOptions;
  };
}

/** A declared type as it is in the stream: with the agent's own objects, not copied, which must not be changed. */
type InStream<V> = unknown extends V ? V : [DeclaredMessage] extends [V] ? AgentMessage : EachInStream<V>;
type EachInStream<V> = V extends readonly (infer Element)[]
  ? readonly InStream<Element>[]
  : V extends SessionEntryBase
    ? EntryLike
    : V extends parts.CompactionPreparation
      ? CompactionPreparation
      : V extends parts.TreePreparation
        ? { readonly [K in keyof V]: InStream<V[K]> }
        : V;

type StreamEvent<T extends string, Payload> = {
  readonly [K in keyof Payload as Exclude<K, 'type' | MembersFor<ComputedMembers, T>>]: InStream<Payload[K]>;
} & { readonly type: T } & (T extends keyof OnlyInStream ? OnlyInStream[T] : unknown);
type MembersFor<Table, T> = T extends keyof Table ? Table[T] : never;

type StreamEvents = {
  readonly [N in Exclude<HookEventName, OtherName>]: StreamEvent<N, Payloads[N]>;
} & { readonly session_compacting: StreamEvent<'session_compacting', Payloads['session.compacting']> };

/**
 * The canonical event stream: one event per lifecycle step, with what all dialects need of it. The types follow from
 * the declarations for hook authors. The row of an event in the table of events decides what a hook gets of it.
 */
export type HookEventType = keyof StreamEvents;
export type HookEventOf<T extends HookEventType> = StreamEvents[T];
export type HookEvent = HookEventOf<HookEventType>;

interface Cancellable {
  readonly cancelled: boolean;
  /** Path of the hook that cancelled. */
  readonly by?: string;
}

/** What handlers propose at the end of a turn, or before the agent settles. */
export interface TurnProposal {
  readonly entries: readonly parts.SessionBoundaryDraft[];
  readonly continue: boolean;
  /** Path of the hook that last asked to continue. */
  readonly by?: string;
}

/** What the stop hooks of oh-my-pi want. */
export interface StopAnswer {
  /** What the model gets to go on with; undefined when the agent may stop. */
  readonly text?: string;
  /** A hook did not only ask to continue. */
  readonly isBlock: boolean;
  /** Path of the hook whose answer counts. */
  readonly by?: string;
}

/** The result of a dispatch for its caller, by event: the answers of all hooks combined. */
export interface HookResults {
  resources_discover: Readonly<Record<keyof results.ResourcesDiscoverResult, readonly string[]>>;
  project_trust: {
    /** Undefined when no hook decided; `by` is the path of the hook that decided. */
    readonly decision?: { readonly trusted: boolean; readonly remember: boolean; readonly by: string };
  };
  session_directory: Readonly<results.SessionDirectoryResult>;
  session_before_switch: Cancellable;
  session_before_branch: Cancellable & { readonly skipConversationRestore: boolean };
  session_before_compact: Cancellable & { readonly compaction?: CompactionResult };
  session_compacting: Readonly<Omit<results.SessionCompactingResult, 'context'>> & {
    readonly context: readonly string[];
  };
  session_before_tree: Cancellable & Readonly<Omit<results.SessionBeforeTreeResult, 'cancel'>>;
  input:
    | { readonly action: 'continue'; readonly text: string; readonly images?: readonly ImageContent[] }
    | { readonly action: 'handled'; readonly by: string };
  before_agent_start: { readonly messages: readonly CustomMessageDraft[]; readonly systemPrompt: string };
  context: { readonly messages: readonly AgentMessage[] };
  before_provider_headers: { readonly headers: Readonly<Record<string, string | null>> };
  context_with_system: { readonly messages: readonly AgentMessage[] };
  message_end: { readonly message: AgentMessage };
  turn_end: TurnProposal;
  agent_before_settle: TurnProposal;
  session_stop: StopAnswer;
  before_provider_request: { readonly payload: unknown };
  cache_warming_decision: { readonly action: 'warm' | 'stop' };
  tool_call:
    | { readonly block: false }
    | { readonly block: true; readonly reason: string; readonly by: string; readonly terminate?: true };
  tool_result: {
    readonly content: ContentPart[];
    readonly details: unknown;
    readonly isError: boolean;
    readonly structuredContent?: unknown;
    readonly usage?: Usage;
    /** The run was stopped before a handler answered. */
    readonly isUnreviewed?: boolean;
  };
  user_bash:
    | {
        readonly operations?: BashOperations | undefined;
        readonly result?: BashOutcome;
        /** Why the command must not run; `by`: absolute path of the hook that failed. */
        readonly refused?: string;
        readonly by?: string;
      }
    | undefined;
}

/** Result of a dispatch; `undefined` for events that only inform. */
export type HookResult<T extends HookEventType> = T extends keyof HookResults ? HookResults[T] : undefined;
