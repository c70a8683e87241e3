import type { Message, Usage } from '@mariozechner/pi-ai';
import type { MarkdownTheme, SelectListTheme, SettingsListTheme } from '@mariozechner/pi-tui';
import type { TSchema as LegacySchema } from '@sinclair/typebox';
import type { Static, TSchema } from 'typebox';
import type { ExecOptions, ExecResult } from './context/context';
import type { SessionEntry } from './session/entries';
import type { BashOperations } from './session/event-parts';
import type { AgentMessage } from './session/messages';
import type { AgentTool, ToolDefinition } from './context/tool-definition';
import type * as O from './context/tool-operations';
import type * as T from './context/tools';
import type {
  BashToolResultEvent,
  BuiltInToolInputs,
  EditToolResultEvent,
  FindToolResultEvent,
  GrepToolResultEvent,
  LsToolResultEvent,
  PowerShellToolResultEvent,
  ReadToolResultEvent,
  ToolCallEvent,
  ToolResultEvent,
  TruncationOptions,
  TruncationResult,
  WriteToolResultEvent,
} from './context/tools';

/** Narrows `event.details` to {@link BashToolDetails}. */
export declare function isBashToolResult(event: ToolResultEvent): event is BashToolResultEvent;
/** Narrows `event.details` to {@link PowerShellToolDetails}. */
export declare function isPowerShellToolResult(event: ToolResultEvent): event is PowerShellToolResultEvent;
/** Narrows `event.details` to {@link ReadToolDetails}. */
export declare function isReadToolResult(event: ToolResultEvent): event is ReadToolResultEvent;
/** Narrows `event.details` to {@link EditToolDetails}. */
export declare function isEditToolResult(event: ToolResultEvent): event is EditToolResultEvent;
/** Narrows to a result of `write`, which has no details. */
export declare function isWriteToolResult(event: ToolResultEvent): event is WriteToolResultEvent;
/** Narrows `event.details` to {@link GrepToolDetails}. */
export declare function isGrepToolResult(event: ToolResultEvent): event is GrepToolResultEvent;
/** Narrows `event.details` to {@link FindToolDetails}. */
export declare function isFindToolResult(event: ToolResultEvent): event is FindToolResultEvent;
/** Narrows `event.details` to {@link LsToolDetails}. */
export declare function isLsToolResult(event: ToolResultEvent): event is LsToolResultEvent;

/**
 * Narrows `event.input` to the arguments of a tool: `isToolCallEventType('bash', event)`. For a tool of your own name
 * both types: `isToolCallEventType<'my_tool', { action: string }>('my_tool', event)`.
 */
export declare function isToolCallEventType<N extends keyof BuiltInToolInputs>(
  toolName: N,
  event: ToolCallEvent,
): event is ToolCallEvent & { toolName: N; input: BuiltInToolInputs[N] };
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names it
export declare function isToolCallEventType<N extends string, Input extends object>(
  toolName: N,
  event: ToolCallEvent,
): event is ToolCallEvent & { toolName: N; input: Input };

/** Messages as the model gets them; hidden ones and unknown roles are left out. */
export declare function convertToLlm(messages: readonly AgentMessage[]): Message[];
/** The name of {@link convertToLlm} in v1. */
export declare function messageTransformer(messages: readonly AgentMessage[]): Message[];
/** A plain transcript, for summaries: `[User]: …`, `[Assistant]: …`, `[Tool result]: …`. */
export declare function serializeConversation(messages: readonly Message[]): string;

/** Tokens of a message, estimated: four characters each. */
export declare function estimateTokens(message: AgentMessage): number;
export declare function calculateContextTokens(usage: Usage): number;
/** When and how much is compacted. */
export interface CompactionSettings {
  enabled: boolean;
  /** Tokens kept free for the answer. */
  reserveTokens: number;
  /** Tokens of recent messages that stay. */
  keepRecentTokens: number;
}
export declare const DEFAULT_COMPACTION_SETTINGS: CompactionSettings;
export declare function shouldCompact(
  contextTokens: number,
  contextWindow: number,
  settings: CompactionSettings,
): boolean;
/** Where a compaction of `entries[start…end)` would cut. */
export declare function findCutPoint(
  entries: readonly SessionEntry[],
  start: number,
  end: number,
  keepRecentTokens: number,
): { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean };

type Arguments<Input> = LegacySchema & { static: Input };
type ToolFactory<Input, Details, Options> = (cwd: string, options?: Options) => AgentTool<Arguments<Input>, Details>;
type BashFactory = ToolFactory<T.BashToolInput, T.BashToolDetails | undefined, O.BashToolOptions>;
type PowerShellFactory = ToolFactory<
  T.PowerShellToolInput,
  T.PowerShellToolDetails | undefined,
  O.PowerShellToolOptions
>;
type ReadFactory = ToolFactory<T.ReadToolInput, T.ReadToolDetails | undefined, O.ReadToolOptions>;
type EditFactory = ToolFactory<
  Pick<T.EditToolInput, 'path' | 'edits'>,
  T.EditToolDetails | undefined,
  O.EditToolOptions
>;
type WriteFactory = ToolFactory<T.WriteToolInput, undefined, O.WriteToolOptions>;
type GrepFactory = ToolFactory<T.GrepToolInput, T.GrepToolDetails | undefined, O.GrepToolOptions>;
type FindFactory = ToolFactory<T.FindToolInput, T.FindToolDetails | undefined, O.FindToolOptions>;
type LsFactory = ToolFactory<T.LsToolInput, T.LsToolDetails | undefined, O.LsToolOptions>;
/** The built-in tools, for a folder. `operations` of the options sends their work elsewhere. */
export declare const createBashTool: BashFactory;
export declare const createPowerShellTool: PowerShellFactory;
export declare const createReadTool: ReadFactory;
export declare const createEditTool: EditFactory;
export declare const createWriteTool: WriteFactory;
export declare const createGrepTool: GrepFactory;
export declare const createFindTool: FindFactory;
export declare const createLsTool: LsFactory;
export declare const createBashToolDefinition: BashFactory;
export declare const createPowerShellToolDefinition: PowerShellFactory;
export declare const createReadToolDefinition: ReadFactory;
export declare const createEditToolDefinition: EditFactory;
export declare const createWriteToolDefinition: WriteFactory;
export declare const createGrepToolDefinition: GrepFactory;
export declare const createFindToolDefinition: FindFactory;
export declare const createLsToolDefinition: LsFactory;
/** `read`, `bash`, `edit` and `write`. */
export declare function createCodingTools(cwd: string): AgentTool[];
/** `read`, `grep`, `find` and `ls`. */
export declare function createReadOnlyTools(cwd: string): AgentTool[];
/** Runs commands on this machine; wrap it to change how `bash` runs. */
export declare function createLocalBashOperations(options?: { shellPath?: string }): BashOperations;
/** Runs commands on this machine in PowerShell. */
export declare function createLocalPowerShellOperations(): BashOperations;
/** How PowerShell is started on this machine; throws where there is none. */
export declare function getPowerShellConfig(): { readonly shell: string; readonly args: readonly string[] };
/** Runs changes of one file one after the other. */
export declare function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T>;
/** Gives the definition back, with its argument types computed. */
export declare function defineTool<S extends LegacySchema, D = unknown>(
  tool: ToolDefinition<S, D, S['static']>,
): ToolDefinition<S, D, S['static']>;
export declare function defineTool<S extends TSchema, D = unknown>(
  tool: ToolDefinition<S, D, NoInfer<Static<S>>>,
): ToolDefinition<S, D, Static<S>>;

/** 51200. */
export declare const DEFAULT_MAX_BYTES: number;
/** 2000. */
export declare const DEFAULT_MAX_LINES: number;
/** `512B`, `50.0KB`, `1.5MB`. */
export declare function formatSize(bytes: number): string;
/** Keeps the beginning. */
export declare function truncateHead(content: string, options?: TruncationOptions): TruncationResult;
/** Keeps the end. */
export declare function truncateTail(content: string, options?: TruncationOptions): TruncationResult;
export declare function truncateLine(line: string, maxChars?: number): { text: string; wasTruncated: boolean };

/** Runs a program without a shell; never rejects. */
export declare function execCommand(
  command: string,
  args: readonly string[],
  cwd: string,
  options?: Omit<ExecOptions, 'cwd'>,
): Promise<ExecResult>;

/** `~/.pi/agent`, or what replaces it. */
export declare function getAgentDir(): string;
/** `.pi`: the folder of a project's settings, hooks and skills. */
export declare const CONFIG_DIR_NAME: string;
/** Language of a file as highlighters call it, by its ending. */
export declare function getLanguageFromPath(path: string): string | undefined;
/** `:3`, `:3-7` or nothing: the arguments of `read`, as its calls are drawn. */
export declare function formatReadLineRange(offset: unknown, limit: unknown): string;
/** A bus of your own; `pi.events` is the one that all hooks share. */
export declare function createEventBus(): {
  emit(channel: string, data: unknown): void;
  on(channel: string, listener: (data: unknown) => unknown): () => void;
  clear(): void;
};
/** Keys of a binding, such as `ctrl+o`; nothing for one that is unknown here. */
export declare function keyText(binding: string): string;
/** A key and what it does, coloured. */
export declare function keyHint(binding: string, description: string): string;
export declare function rawKeyHint(key: string, description: string): string;
/** Version of the pi that Hookline follows. */
export declare const VERSION: string;
export declare const CURRENT_SESSION_VERSION: number;
/** Splits a text into its YAML head and what follows. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names it
export declare function parseFrontmatter<T extends object = Record<string, unknown>>(
  text: string,
): { frontmatter: T; body: string };
export declare function stripFrontmatter(text: string): string;
/** Colours for pi-tui's `Markdown`. */
export declare function getMarkdownTheme(): MarkdownTheme;
/** Colours for pi-tui's `SelectList`. */
export declare function getSelectListTheme(): SelectListTheme;
/** Colours for pi-tui's `SettingsList`. */
export declare function getSettingsListTheme(): SettingsListTheme;
