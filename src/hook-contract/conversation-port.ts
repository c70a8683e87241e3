import type { Api, Model } from '@mariozechner/pi-ai';
import type { ContentPart } from '../agent/messages';
import type { ScopedModel } from '../agent/models/choice/model-scope';
import type { OtherAgent } from '../hook-typings/context/context';
import type { BoundaryContextPreview } from '../hook-typings/session/event-parts';
import type { PromptOptions } from '../agent/prompt/system-prompt';
import type { ExecOptions, ExecResult } from '../agent/tools/shell/exec';
import type { KnownTool } from '../agent/tools/tool';
import type { ConversationApprovals } from './conversation-approvals';
import type { CompactionResult, CustomMessageDraft } from './hook-event';
import type { SourceInfo } from './hook-info';
import type { HookUIContext } from './ui/ui';

/**
 * What shows a conversation, in pi's words: the panel counts as `tui`, since components and terminal input work there;
 * `print` and `json` end with the answer.
 */
export type ConversationMode = 'tui' | 'rpc' | 'json' | 'print';

/** Whether a user can answer questions in a conversation of this mode. */
export function canAsk(mode: ConversationMode): boolean {
  return mode === 'tui' || mode === 'rpc';
}

export type HookDelivery = 'steer' | 'followUp' | 'nextTurn';

/** What ends a run for a hook: its `agent_end`, or the `agent_settled` after all that followed. */
export type BusyUntil = 'end' | 'settled';

export interface ContextUsage {
  /** Null right after a compaction, until the next answer. */
  readonly tokens: number | null;
  readonly contextWindow: number;
  readonly percent: number | null;
}

export interface CommandInfo {
  readonly name: string;
  readonly description?: string;
  readonly source: 'extension' | 'prompt' | 'skill';
  readonly location?: 'user' | 'project' | 'path';
  readonly path?: string;
  readonly sourceInfo: SourceInfo;
}

export interface ForkOutcome {
  readonly cancelled: boolean;
}

/**
 * What the hook runtime needs of one conversation; `src/session` answers it. Late calls of a hook go to the
 * conversation whose event handed out that `ctx`, else to the active one.
 * Session methods resolve `{ cancelled: true }` when a hook or the user declined; they reject only on bugs.
 */
export interface HookConversation {
  readonly id: string;
  /** Absolute path of the workspace folder. */
  readonly cwd: string;
  readonly ui: HookUIContext;
  readonly mode: ConversationMode;
  /** True when a user can answer dialogs (docs/dialects.md, D5, C30). */
  readonly hasUI: boolean;
  /** The object handed out as `ctx.sessionManager`: `SessionStore`'s readers. */
  readonly sessionManager: object;
  /** The object handed out as `ctx.modelRegistry`. */
  readonly modelRegistry: object;
  readonly sessionFile: string | undefined;
  /** Signal of the running agent run, undefined when idle. */
  readonly signal: AbortSignal | undefined;

  /** The agent of others whose session this is; absent for Hookline's own. */
  readonly agent?: OtherAgent | undefined;
  /** The conversation for the calls of one hook, by its path, where it must know which hook calls; absent: the same for all. */
  seenBy?(hookPath: string): HookConversation;

  /** The mode and the rules that the built-in gate uses; absent: it lets all calls pass and is not heard of. */
  readonly approvals?: ConversationApprovals | undefined;

  model(): Model<Api> | undefined;
  /** Resolves false when no key is known for the model. */
  setModel(model: Model<Api>): Promise<boolean>;
  thinkingLevel(): string;
  /** The models that the user goes through; empty where there is no scope. */
  scopedModels(): readonly ScopedModel[];
  setThinkingLevel(level: string): void;
  resolveApiKey(model: Model<Api>): Promise<string | undefined>;

  /** Whether nothing is under way; with `settled`, nothing that may still follow the last run either. */
  isIdle(until: BusyUntil): boolean;
  abort(): void;
  hasPendingMessages(): boolean;
  waitForIdle(): Promise<void>;
  shutdown(): void;
  contextUsage(): ContextUsage | undefined;
  systemPrompt(): string;
  /** What the system prompt is made from, before a run changes it; a copy. */
  promptOptions(): PromptOptions;

  /** Text or parts as a user message. Rejects as pi's prompt does. */
  sendUserMessage(
    content: string | ContentPart[],
    options: {
      deliverAs?: 'steer' | 'followUp';
      queueWhenStreaming: boolean;
      /** Commands of hooks, skills and templates count in it. */
      expands?: boolean;
      busyUntil?: BusyUntil;
    },
  ): Promise<void>;
  sendCustomMessage(
    message: CustomMessageDraft,
    options: {
      triggerTurn: boolean;
      deliverAs?: HookDelivery;
      /** While the agent works it joins the conversation at the end of the turn, and causes no request. */
      afterTurn?: boolean;
      busyUntil?: BusyUntil;
    },
  ): Promise<void>;
  /**
   * What the model would get next if these entries were in the session; they may be of any kind. Throws when one of them
   * cannot be.
   */
  boundaryContext(at: 'turn_end' | 'agent_before_settle', entries: readonly unknown[]): BoundaryContextPreview;
  appendEntry(customType: string, data: unknown): void;
  /** V2 `saveEntry`: a raw entry of any type. */
  saveEntry(entry: Readonly<Record<string, unknown>> & { readonly type: string }): Promise<void>;
  rebuildContext(): Promise<void>;
  setSessionName(name: string): void;
  sessionName(): string | undefined;
  setLabel(entryId: string, label: string | undefined): void;

  activeTools(): readonly string[];
  allTools(): readonly KnownTool[];
  /** Unknown names are ignored; the system prompt is rebuilt. */
  setActiveTools(names: readonly string[]): void;
  commands(): readonly CommandInfo[];

  compact(options: { customInstructions?: string }): Promise<CompactionResult>;
  newSession(options: { parentSession?: string; setup?: (sessionManager: object) => unknown }): Promise<ForkOutcome>;
  /** A new session that ends before the entry, a message of the user, or with it. */
  fork(entryId: string, position: 'before' | 'at'): Promise<ForkOutcome>;
  navigateTree(
    targetId: string,
    options: {
      summarize?: boolean;
      customInstructions?: string;
      replaceInstructions?: boolean;
      label?: string;
      /** Rejects while a run is active; otherwise that run is stopped. */
      onlyWhenIdle?: boolean;
    },
  ): Promise<ForkOutcome>;
  switchSession(sessionFile: string): Promise<ForkOutcome>;
  /** What the user wants the model to know about a call they denied; given once. Absent: never anything. */
  takeDenial?(toolCallId: string): string | undefined;
  /** Runs commands of hooks in place of the host; absent: the host does. */
  exec?(command: string, args: readonly string[], options: ExecOptions): Promise<ExecResult>;
  /** Reloads all hooks (EXT `ctx.reload()`). */
  reload(): Promise<void>;
}
