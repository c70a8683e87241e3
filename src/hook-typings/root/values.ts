import type { Api, AssistantMessage, Context, Model, SimpleStreamOptions, Usage } from '@mariozechner/pi-ai';
import type { SessionEntry } from '../session/entries';
import type { AgentMessage } from '../session/messages';
import type { ReadonlySessionManager } from '../session/session-manager';
import type { SourceInfo } from '../context/tool-definition';
import type { Theme as ThemeShape } from '../ui/ui';

export interface Skill {
  name: string;
  description: string;
  filePath: string;
  baseDir: string;
  sourceInfo: SourceInfo;
  disableModelInvocation: boolean;
}

export interface LoadSkillsResult {
  skills: Skill[];
  diagnostics: { type: 'warning' | 'error' | 'collision'; message: string; path?: string }[];
}

/** The skills of the usual folders and of those named. */
export declare function loadSkills(options: {
  cwd: string;
  agentDir?: string;
  skillPaths?: string[];
  includeDefaults?: boolean;
}): LoadSkillsResult;
export declare function loadSkillsFromDir(options: { dir: string; source: string }): LoadSkillsResult;
/** Skills as a part of a system prompt. */
export declare function formatSkillsForPrompt(skills: readonly Skill[], reader?: 'read' | 'bash' | 'indirect'): string;
/** A prompt that invokes a skill, taken apart; `null` for any other. */
export declare function parseSkillBlock(
  text: string,
): { name: string; location: string; content: string; userMessage?: string } | null;
export declare function createSyntheticSourceInfo(
  path: string,
  options: Partial<Omit<SourceInfo, 'path'>> & { source: string },
): SourceInfo;
/** Instruction files such as AGENTS.md, outermost folder first. */
export declare function loadProjectContextFiles(options: {
  cwd: string;
  agentDir: string;
}): { path: string; content: string }[];
/** The older form of {@link loadProjectContextFiles}; without arguments, for the folder of the conversation. */
export declare function discoverContextFiles(cwd?: string, agentDir?: string): { path: string; content: string }[];

type Stream = (model: Model<Api>, context: Context, options: SimpleStreamOptions) => unknown;
type Headers = Record<string, string>;

/** Asks a model for a summary of messages. */
export declare function generateSummary(
  messages: readonly AgentMessage[],
  model: Model<Api>,
  reserveTokens: number | undefined,
  apiKey: string | undefined,
  headers?: Headers | AbortSignal,
  signal?: AbortSignal | string,
  customInstructions?: string,
  previousSummary?: string,
  thinkingLevel?: string,
  streamFn?: Stream,
  env?: Record<string, string>,
): Promise<string>;
export declare function generateSummaryWithUsage(
  messages: readonly AgentMessage[],
  model: Model<Api>,
  reserveTokens: number | undefined,
  apiKey: string | undefined,
  headers?: Headers,
  signal?: AbortSignal,
  customInstructions?: string,
  previousSummary?: string,
  thinkingLevel?: string,
  streamFn?: Stream,
  env?: Record<string, string>,
): Promise<{ text: string; usage: Usage }>;
/** The summary of a prepared compaction, as `session_before_compact` hands it out. */
export declare function compact(
  preparation: object,
  model: Model<Api>,
  apiKey: string | undefined,
  headers?: Headers | string,
  customInstructions?: string | AbortSignal,
  signal?: AbortSignal,
  thinkingLevel?: string,
  streamFn?: Stream,
  env?: Record<string, string>,
): Promise<{ summary: string; firstKeptEntryId: string; tokensBefore: number; details?: unknown; usage?: Usage }>;
export declare function generateBranchSummary(
  entries: readonly SessionEntry[],
  options: {
    model: Model<Api>;
    apiKey?: string;
    headers?: Headers;
    env?: Record<string, string>;
    signal?: AbortSignal;
    thinkingLevel?: string;
    customInstructions?: string;
    replaceInstructions?: boolean;
    reserveTokens?: number;
    streamFn?: Stream;
  },
): Promise<{
  summary?: string;
  usage?: Usage;
  readFiles?: string[];
  modifiedFiles?: string[];
  aborted?: boolean;
  error?: string;
}>;
export declare function collectEntriesForBranchSummary(
  session: Pick<ReadonlySessionManager, 'getBranch'>,
  oldLeafId: string | null,
  targetId: string,
): { entries: SessionEntry[]; commonAncestorId: string | null };
export declare function prepareBranchEntries(
  entries: readonly SessionEntry[],
  tokenBudget?: number,
): {
  messages: AgentMessage[];
  totalTokens: number;
  fileOps: { read: Set<string>; written: Set<string>; edited: Set<string> };
};
export declare function findTurnStartIndex(
  entries: readonly SessionEntry[],
  entryIndex: number,
  startIndex: number,
): number;
export declare function getLastAssistantUsage(entries: readonly SessionEntry[]): Usage | undefined;

/** A difference as `edit` tells it. */
export declare function generateDiffString(
  before: string,
  after: string,
  contextLines?: number,
): { diff: string; firstChangedLine: number | undefined };
export declare function generateUnifiedPatch(
  path: string,
  before: string,
  after: string,
  contextLines?: number,
): string;
/** A difference of {@link generateDiffString} in colours. */
export declare function renderDiff(diff: string, options?: { filePath?: string }): string;
/** Lines of code in the colours of the theme. */
export declare function highlightCode(code: string, language?: string): string[];
/** The last (or first) lines of a text as they are drawn at a width. */
export declare function truncateToVisualLines(
  text: string,
  maxVisualLines: number,
  width: number,
  paddingX?: number,
  keep?: 'start' | 'end',
): { visualLines: string[]; skippedCount: number };

/** A theme of your own; names that are not given have the usual colours. */
export interface Theme extends ThemeShape {
  /** Only of a theme that was made with one. */
  readonly sourcePath?: string | undefined;
}
export declare const Theme: new (
  foreground: Partial<Record<string, string | number>>,
  background: Partial<Record<string, string | number>>,
  mode?: string,
  options?: { name?: string; sourcePath?: string },
) => Theme;
/** Does nothing: the theme is VS Code's. */
export declare function initTheme(name?: string): void;

export declare function copyToClipboard(text: string): Promise<void>;
/** How bash is run here. */
export declare function getShellConfig(shellPath?: string): { shell: string; args: string[] };
export declare function getPackageDir(): string;
export declare function getReadmePath(): string;
export declare function getDocsPath(): string;
export declare function getExamplesPath(): string;

export interface ResizedImage {
  data: string;
  mimeType: string;
  originalWidth: number;
  originalHeight: number;
  width: number;
  height: number;
  wasResized: boolean;
}
/** Makes an image small enough for models; `null` when that cannot be. */
export declare function resizeImage(
  bytes: Uint8Array,
  mimeType: string,
  options?: { maxWidth?: number; maxHeight?: number; maxBytes?: number },
): Promise<ResizedImage | null>;
export declare function formatDimensionNote(image: ResizedImage): string | undefined;
export declare function convertToPng(
  base64: string,
  mimeType: string,
): Promise<{ data: string; mimeType: string } | null>;
export declare function detectSupportedImageMimeTypeFromFile(path: string): Promise<string | null>;

/** A command line of pi, taken apart. */
export interface Args {
  messages: string[];
  fileArgs: string[];
  unknownFlags: Map<string, boolean | string>;
  diagnostics: { type: 'warning' | 'error'; message: string }[];
  [flag: string]: unknown;
}
export declare function parseArgs(args: readonly string[]): Args;

/** An entry of auth.json, as written. */
export declare function readStoredCredential(provider: string, authPath?: string): Record<string, unknown> | undefined;

/** The models of the conversations, with the user's keys. */
export declare class ModelRuntime {
  private constructor();
  static create(options?: object): Promise<ModelRuntime>;
  getModels(provider?: string): Model<Api>[];
  getModel(provider: string, modelId: string): Model<Api> | undefined;
  getAvailable(provider?: string): Promise<Model<Api>[]>;
  getAvailableSnapshot(): Model<Api>[];
  getProviders(): { id: string; name: string }[];
  getProvider(id: string): { id: string; name: string } | undefined;
  getError(): string | undefined;
  hasConfiguredAuth(provider: string): boolean;
  isUsingOAuth(provider: string): boolean;
  getProviderAuthStatus(provider: string): { configured: boolean; source?: string; label?: string };
  getAuth(
    of: string | Model<Api>,
  ): Promise<{ auth: { apiKey?: string; headers?: Headers }; env?: Record<string, string> } | undefined>;
  setRuntimeApiKey(provider: string, key: string): Promise<void>;
  removeRuntimeApiKey(provider: string): Promise<void>;
  streamSimple(
    model: Model<Api>,
    context: Context,
    options?: SimpleStreamOptions,
  ): AsyncIterable<unknown> & { result(): Promise<AssistantMessage> };
  complete(model: Model<Api>, context: Context, options?: SimpleStreamOptions): Promise<AssistantMessage>;
  completeSimple(model: Model<Api>, context: Context, options?: SimpleStreamOptions): Promise<AssistantMessage>;
  refresh(): Promise<void>;
}

/** A model and how much it thinks, as `enabledModels` names it. */
export interface ScopedModel {
  model: Model<Api>;
  thinkingLevel?: string;
}
export declare function resolveCliModel(options: {
  cliProvider?: string;
  cliModel?: string;
  cliThinking?: string;
  inlineApiKey?: boolean;
  modelRuntime: ModelRuntime;
}): {
  model: Model<Api> | undefined;
  thinkingLevel?: string;
  warning: string | undefined;
  error: string | undefined;
};
export declare function resolveModelScopeWithDiagnostics(
  patterns: string[],
  modelRuntime: ModelRuntime,
): Promise<{
  scopedModels: ScopedModel[];
  diagnostics: { type: 'warning'; code: string; message: string; pattern: string }[];
}>;

/** `customType` of the entries that keep the state of a virtual model. */
export declare const VIRTUAL_MODEL_STATE_ENTRY: string;
