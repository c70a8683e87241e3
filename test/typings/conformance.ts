import type * as plan from '../../src/agent/compaction/plan';
import type * as tokens from '../../src/agent/compaction/tokens';
import type * as convert from '../../src/agent/llm-messages';
import type { ConversationMessage as RuntimeMessage } from '../../src/agent/messages';
import type { ModelRegistry as RuntimeModels } from '../../src/agent/models/registry';
import type { Rule } from '../../src/agent/resources/stream-rule';
import type { SessionStore } from '../../src/agent/session/store';
import type { Todo } from '../../src/agent/tools/todo';
import type { PowerShellToolOptions } from '../../src/agent/tools/shell/powershell';
import type { BashToolDetails, BashToolOptions } from '../../src/agent/tools/shell/execute-bash';
import type { EditToolOptions } from '../../src/agent/tools/files/editing/edit';
import type { EditToolDetails } from '../../src/agent/tools/files/editing/edited-content';
import type { ExecResult } from '../../src/agent/tools/shell/exec';
import type { FindToolDetails, FindToolOptions } from '../../src/agent/tools/search/find';
import type { GrepToolDetails, GrepToolOptions } from '../../src/agent/tools/search/grep';
import type { LsToolDetails, LsToolOptions } from '../../src/agent/tools/files/ls';
import type { ReadToolDetails, ReadToolOptions } from '../../src/agent/tools/files/read';
import type { WriteToolOptions } from '../../src/agent/tools/files/writing/write';
import type { ToolResult } from '../../src/agent/tools/tool';
import type * as truncate from '../../src/agent/tools/truncate';
import type { HookCommandContext as RuntimeCommandContext } from '../../src/hook-run/api/commands/command-context';
import type { HookContext as RuntimeContext } from '../../src/hook-run/api/context';
import type { VisibleEntry as RuntimeEntry } from '../../src/hook-contract/session/visible-session';
import type { CommandInfo, ContextUsage, ForkOutcome } from '../../src/hook-contract/conversation-port';
import type { BackgroundName, ForegroundName, HookTheme } from '../../src/hook-contract/ui/theme';
import type { HookUi } from '../../src/hook-run/api/ui/ui-context';
import type { SlashCommandInfo } from '../../src/hook-typings/api';
import type * as context from '../../src/hook-typings/context/context';
import type { SessionEntry } from '../../src/hook-typings/session/entries';
import type * as parts from '../../src/hook-typings/session/event-parts';
import type { AgentMessage } from '../../src/hook-typings/session/messages';
import type { ModelRegistry, SessionManager } from '../../src/hook-typings/session/session-manager';
import type { AgentToolResult } from '../../src/hook-typings/context/tool-definition';
import type * as operations from '../../src/hook-typings/context/tool-operations';
import type * as tools from '../../src/hook-typings/context/tools';
import type { ExtensionUIContext, HookUIContext, Theme, ThemeBg, ThemeColor } from '../../src/hook-typings/ui/ui';
import type * as values from '../../src/hook-typings/values';

// Nothing here runs. Each line below fails to compile when the agent, which knows no hooks, and the types for hook authors
// drift apart; what the compiler cannot see (members of `pi`, of payloads, of modules) is held together by test/typings.

type Fits<A, B> = [A] extends [B] ? true : { readonly expected: B; readonly given: A };
type NoneOf<Left> = [Left] extends [never] ? true : { readonly missing: Left };
type SameNames<A, B> = NoneOf<Exclude<A, B> | Exclude<B, A>>;
type Names<T> = Extract<keyof T, string>;
type AllTrue<T extends readonly true[]> = T;

type DeclaredContext = context.HookContext & context.OmpHookContext & context.ExtensionContext;
type DeclaredCommandContext = DeclaredContext & context.HookCommandContext & context.ExtensionCommandContext;
type DeclaredUi = HookUIContext & ExtensionUIContext;

/** Every element must be `true`. */
export type Conformance = AllTrue<
  [
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
    // What hooks may give to the built-in tools
    Fits<operations.BashToolOptions, BashToolOptions>,
    Fits<operations.PowerShellToolOptions, PowerShellToolOptions>,
    Fits<operations.ReadToolOptions, ReadToolOptions>,
    Fits<operations.EditToolOptions, EditToolOptions>,
    Fits<operations.WriteToolOptions, WriteToolOptions>,
    Fits<operations.GrepToolOptions, GrepToolOptions>,
    Fits<operations.FindToolOptions, FindToolOptions>,
    Fits<operations.LsToolOptions, LsToolOptions>,
    // ctx and ctx.ui
    SameNames<Names<RuntimeContext>, Names<DeclaredContext>>,
    SameNames<Names<RuntimeCommandContext>, Names<DeclaredCommandContext>>,
    SameNames<Names<HookUi>, Names<DeclaredUi>>,
    SameNames<Names<HookTheme>, Names<Theme>>,
    SameNames<ForegroundName, ThemeColor>,
    SameNames<BackgroundName, ThemeBg>,
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
    Fits<[RuntimeMessage], Parameters<typeof tokens.estimateTokens>>,
    Fits<typeof tokens.contextTokensOf, typeof values.calculateContextTokens>,
    Fits<ReturnType<typeof plan.findCutPoint>, ReturnType<typeof values.findCutPoint>>,
    Fits<typeof plan.shouldCompact, typeof values.shouldCompact>,
  ]
>;
