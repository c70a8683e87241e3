import type * as plan from '../../src/agent/compaction/plan';
import type * as tokens from '../../src/agent/compaction/tokens';
import type * as convert from '../../src/agent/convert';
import type { AgentMessage as RuntimeMessage } from '../../src/agent/messages';
import type { ModelRegistry as RuntimeModels } from '../../src/agent/models/registry';
import type { Rule } from '../../src/agent/resources/stream-rule';
import type { SessionEntry as RuntimeEntry } from '../../src/agent/session/entry';
import type { SessionStore } from '../../src/agent/session/store';
import type { Todo } from '../../src/agent/todo/todo-tool';
import type { BashToolDetails } from '../../src/agent/tools/shell/bash';
import type { EditToolDetails } from '../../src/agent/tools/files/edit';
import type { ExecResult } from '../../src/agent/tools/shell/exec';
import type { FindToolDetails } from '../../src/agent/tools/search/find';
import type { GrepToolDetails } from '../../src/agent/tools/search/grep';
import type { LsToolDetails } from '../../src/agent/tools/files/ls';
import type { ReadToolDetails } from '../../src/agent/tools/files/read';
import type { ToolResult } from '../../src/agent/tools/tool';
import type * as truncate from '../../src/agent/tools/truncate';
import type { HookCommandContext as RuntimeCommandContext } from '../../src/hooks/api/command-context';
import type { HookContext as RuntimeContext } from '../../src/hooks/api/context';
import type { CommandInfo, ContextUsage, ForkOutcome } from '../../src/hooks/conversation-port';
import type * as runtime from '../../src/hooks/events/hook-event';
import type { BackgroundColor, ForegroundColor, HookTheme } from '../../src/hooks/api/ui/theme';
import type { HookUi } from '../../src/hooks/api/ui/ui-context';
import type { SlashCommandInfo } from '../../src/hook-typings/api';
import type * as context from '../../src/hook-typings/context';
import type { SessionEntry } from '../../src/hook-typings/entries';
import type * as parts from '../../src/hook-typings/event-parts';
import type { HookEvents } from '../../src/hook-typings/listening';
import type { AgentMessage, CustomMessageDraft } from '../../src/hook-typings/messages';
import type * as results from '../../src/hook-typings/results';
import type { ModelRegistry, SessionManager } from '../../src/hook-typings/session-manager';
import type { AgentToolResult } from '../../src/hook-typings/tool-definition';
import type * as tools from '../../src/hook-typings/tools';
import type { ExtensionUIContext, HookUIContext, Theme, ThemeBg, ThemeColor } from '../../src/hook-typings/ui';
import type * as values from '../../src/hook-typings/values';

// Nothing here runs. Each line below fails to compile when the runtime and the types for hook authors drift apart; what
// the compiler cannot see (members of `pi`, of payloads, of modules) is held together by test/typings.

type Fits<A, B> = [A] extends [B] ? true : { readonly expected: B; readonly given: A };
type NoneOf<Left> = [Left] extends [never] ? true : { readonly missing: Left };
type SameNames<A, B> = NoneOf<Exclude<A, B> | Exclude<B, A>>;
type Names<T> = Extract<keyof T, string>;
type AllTrue<T extends readonly true[]> = T;

/** Members of the canonical event that no hook sees. */
type Internal = 'entryIds';

/** What a hook gets of a member: copies of lists, and entries by the names of their kinds; what is unknown fits all. */
type Given<V> = unknown extends V
  ? never
  : V extends readonly (infer Element)[]
    ? Given<Element>[]
    : V extends runtime.EntryLike
      ? SessionEntry & StoredCompaction
      : V extends runtime.TreePreparation
        ? { [K in keyof V]: Given<V[K]> }
        : V;
type StoredCompaction = Extract<SessionEntry, { type: 'compaction' }>;

/** The payload under the step's own name. */
type Payload<N extends runtime.HookEventType> = N extends 'session_compacting'
  ? HookEvents<AgentMessage>['session.compacting'][0]
  : N extends 'tool_call'
    ? tools.CustomToolCallEvent
    : N extends 'tool_result'
      ? tools.CustomToolResultEvent
      : N extends keyof HookEvents<AgentMessage>
        ? HookEvents<AgentMessage>[N][0]
        : never;

/** For each event the members that the declared payload lacks or gives another type; `never` where all is well. */
type Drift = {
  readonly [N in runtime.HookEventType]: {
    readonly [K in Exclude<keyof runtime.HookEventOf<N>, Internal | 'type'>]-?: K extends keyof Payload<N>
      ? [Given<NonNullable<runtime.HookEventOf<N>[K]>>] extends [Payload<N>[K]]
        ? never
        : [N, K]
      : [N, K];
  }[Exclude<keyof runtime.HookEventOf<N>, Internal | 'type'>];
}[runtime.HookEventType];

type DeclaredContext = context.HookContext & context.OmpHookContext & context.ExtensionContext;
type DeclaredCommandContext = DeclaredContext & context.HookCommandContext & context.ExtensionCommandContext;
type DeclaredUi = HookUIContext & ExtensionUIContext;

/** Every element must be `true`. */
export type Conformance = AllTrue<
  [
    // Events and answers
    NoneOf<Drift>,
    NoneOf<Exclude<runtime.HookEventType, keyof HookEvents<never> | 'session_compacting'>>,
    Fits<parts.CompactionResult, runtime.CompactionResult>,
    Fits<runtime.CompactionPreparation, parts.CompactionPreparation>,
    Fits<CustomMessageDraft, runtime.CustomMessageDraft>,
    Fits<parts.BashOutcome, runtime.BashOutcome>,
    Fits<runtime.BashOutcome, parts.BashOutcome>,
    SameNames<keyof runtime.HookResults['resources_discover'], keyof results.ResourcesDiscoverResult>,
    SameNames<keyof runtime.HookResults['session_compacting'], keyof results.SessionCompactingResult>,
    SameNames<keyof runtime.HookResults['session_directory'], keyof results.SessionDirectoryResult>,
    NoneOf<
      Exclude<
        keyof runtime.HookResults['session_before_tree'],
        keyof results.SessionBeforeTreeResult | 'cancelled' | 'by'
      >
    >,
    Fits<Rule, parts.StreamRule>,
    Fits<Todo, parts.TodoItem>,
    // Messages, entries, tools
    Fits<RuntimeMessage, AgentMessage>,
    Fits<RuntimeEntry, SessionEntry>,
    Fits<ToolResult, AgentToolResult>,
    Fits<BashToolDetails, tools.BashToolDetails>,
    Fits<ReadToolDetails, tools.ReadToolDetails>,
    Fits<EditToolDetails, tools.EditToolDetails>,
    Fits<GrepToolDetails, tools.GrepToolDetails>,
    Fits<FindToolDetails, tools.FindToolDetails>,
    Fits<LsToolDetails, tools.LsToolDetails>,
    Fits<truncate.TruncationResult, tools.TruncationResult>,
    // ctx and ctx.ui
    SameNames<Names<RuntimeContext>, Names<DeclaredContext>>,
    SameNames<Names<RuntimeCommandContext>, Names<DeclaredCommandContext>>,
    SameNames<Names<HookUi>, Names<DeclaredUi>>,
    SameNames<Names<HookTheme>, Names<Theme>>,
    SameNames<ForegroundColor, ThemeColor>,
    SameNames<BackgroundColor, ThemeBg>,
    Fits<ExecResult, context.ExecResult>,
    Fits<ContextUsage, context.ContextUsage>,
    Fits<ForkOutcome, context.SessionOutcome>,
    Fits<CommandInfo, SlashCommandInfo>,
    NoneOf<Exclude<Names<SessionManager>, Names<SessionStore>>>,
    NoneOf<Exclude<Names<ModelRegistry>, Names<RuntimeModels> | 'getAvailableModels'>>,
    // Functions
    Fits<typeof truncate.truncateHead, typeof values.truncateHead>,
    Fits<typeof truncate.truncateTail, typeof values.truncateTail>,
    Fits<typeof truncate.truncateLine, typeof values.truncateLine>,
    Fits<typeof truncate.formatSize, typeof values.formatSize>,
    Fits<ReturnType<typeof convert.convertToLlm>, ReturnType<typeof values.convertToLlm>>,
    Fits<typeof convert.serializeConversation, typeof values.serializeConversation>,
    Fits<Parameters<typeof tokens.estimateTokens>, [RuntimeMessage]>,
    Fits<typeof tokens.contextTokensOf, typeof values.calculateContextTokens>,
    Fits<ReturnType<typeof plan.findCutPoint>, ReturnType<typeof values.findCutPoint>>,
    Fits<typeof plan.shouldCompact, typeof values.shouldCompact>,
  ]
>;
