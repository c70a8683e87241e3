import type { Api, ImageContent, Model } from '@mariozechner/pi-ai';
import type { ExtensionFactory } from '../api';
import type { ContextUsage, ThinkingLevel } from '../context/context';
import type { CompactionResult } from '../session/event-parts';
import type { MessageUpdateEvent } from '../events/events';
import type { JsonAgentSessionEvent, JsonMessageUpdateEvent } from '../events/json-events';
import type { AgentMessage, ContentPart } from '../session/messages';
import type { ReadonlySessionManager } from '../session/session-manager';
import type { ToolDefinition } from '../context/tool-definition';
import type { SessionManager } from './sessions';
import type { SettingsManager } from './settings';
import type { ModelRuntime, Skill } from './values';

/** What happens in a session, as it happens. */
export type AgentSessionEvent = Exclude<JsonAgentSessionEvent, JsonMessageUpdateEvent> | MessageUpdateEvent;

/** An extension in code that runs already; `name` is for messages. */
export type InlineExtension = ExtensionFactory | { name: string; factory: ExtensionFactory };

export interface DefaultResourceLoaderOptions {
  cwd: string;
  /** Passed over: it is that of the conversation. */
  agentDir?: string;
  /** Passed over: settings are those of the conversation. */
  settingsManager?: SettingsManager;
  additionalExtensionPaths?: string[];
  additionalSkillPaths?: string[];
  additionalPromptTemplatePaths?: string[];
  /** They come before all files. */
  extensionFactories?: InlineExtension[];
  /** Only the gates of the conversation are loaded; those always are. */
  noExtensions?: boolean;
  noSkills?: boolean;
  noPromptTemplates?: boolean;
  /** Passed over: colors are VS Code's. */
  noThemes?: boolean;
  noContextFiles?: boolean;
  /** A text, or the path of a file that holds it. */
  systemPrompt?: string;
  appendSystemPrompt?: string[];
  /** The overrides get what was found and give what counts. They are called when the session is made. */
  skillsOverride?: (base: { skills: Skill[]; diagnostics: [] }) => { skills: Skill[] };
  promptsOverride?: (base: { prompts: PromptTemplate[]; diagnostics: [] }) => { prompts: PromptTemplate[] };
  agentsFilesOverride?: (base: { agentsFiles: { path: string; content: string }[] }) => {
    agentsFiles: { path: string; content: string }[];
  };
  systemPromptOverride?: (base: string | undefined) => string | undefined;
  appendSystemPromptOverride?: (base: string[]) => string[];
}

/** A prompt kept in a file, run as `/name arguments`. */
export interface PromptTemplate {
  name: string;
  description: string;
  argumentHint?: string;
  content: string;
  filePath: string;
}

/** What a hook says instead of the files; the gates of the conversation guard the session all the same. */
export interface ResourceLoader {
  /** Must have no extensions. */
  getExtensions(): { extensions: readonly []; errors: readonly unknown[]; runtime?: object };
  getSkills(): { skills: Skill[]; diagnostics: readonly unknown[] };
  getPrompts(): { prompts: PromptTemplate[]; diagnostics: readonly unknown[] };
  getAgentsFiles(): { agentsFiles: { path: string; content: string }[] };
  getSystemPrompt(): string | undefined;
  getAppendSystemPrompt(): string[];
}

/** For `getExtensions` of a {@link ResourceLoader}. */
export declare function createExtensionRuntime(): object;

/** What a session is to have of hooks, resources and prompt. They are loaded with the session. */
export declare class DefaultResourceLoader {
  constructor(options: DefaultResourceLoaderOptions);
  reload(): Promise<void>;
  getExtensions(): { extensions: []; errors: [] };
  getSystemPrompt(): string | undefined;
  getAppendSystemPrompt(): string[];
}

export interface CreateAgentSessionOptions {
  /** The folder of the conversation when absent. */
  cwd?: string;
  /** Passed over: it is that of the conversation. */
  agentDir?: string;
  /** Passed over: models and keys are those of the conversation. */
  modelRuntime?: ModelRuntime;
  model?: Model<Api>;
  thinkingLevel?: ThinkingLevel;
  noTools?: 'all' | 'builtin';
  tools?: string[];
  excludeTools?: string[];
  customTools?: ToolDefinition[];
  resourceLoader?: DefaultResourceLoader | ResourceLoader;
  /** From then on it only follows the session. */
  sessionManager?: SessionManager;
  /** Passed over: settings are those of the conversation. */
  settingsManager?: SettingsManager;
  sessionStartEvent?: { type: 'session_start'; reason: 'startup' | 'reload' | 'new' | 'resume' | 'fork' };
}

/** A session of an agent in this process, guarded by the gates of the conversation that it belongs to. */
export interface AgentSession {
  readonly agent: {
    readonly state: AgentSession['state'];
    readonly signal: AbortSignal | undefined;
    hasQueuedMessages(): boolean;
    abort(): void;
    waitForIdle(): Promise<void>;
  };
  readonly extensionRunner: {
    hasHandlers(type: string): boolean;
    emit(event: { type: 'session_shutdown'; reason: string }): Promise<void>;
  };
  readonly sessionManager: ReadonlySessionManager;
  readonly state: {
    messages: readonly AgentMessage[];
    model: Model<Api> | undefined;
    thinkingLevel: string;
    systemPrompt: string;
    tools: readonly { name: string; label: string; description: string; parameters: object }[];
    isStreaming: boolean;
    errorMessage?: string;
  };
  readonly messages: readonly AgentMessage[];
  readonly model: Model<Api> | undefined;
  readonly thinkingLevel: string;
  readonly systemPrompt: string;
  readonly isStreaming: boolean;
  readonly isIdle: boolean;
  readonly isCompacting: boolean;
  readonly isRetrying: boolean;
  readonly sessionFile: string | undefined;
  readonly sessionId: string;
  readonly sessionName: string | undefined;
  readonly pendingMessageCount: number;
  /** Tells the hooks of the session that it starts. Nobody can be asked in it: `uiContext` is skipped. */
  bindExtensions(bindings?: {
    mode?: 'print' | 'json';
    onError?: (error: { extensionPath: string; event: string; error: string }) => void;
  }): Promise<void>;
  subscribe(listener: (event: AgentSessionEvent) => void): () => void;
  /** Resolves when everything that follows from the text is done. Rejects when it is refused. */
  prompt(
    text: string,
    options?: {
      images?: ImageContent[];
      streamingBehavior?: 'steer' | 'followUp';
      source?: 'interactive' | 'rpc' | 'extension';
      expandPromptTemplates?: boolean;
      preflightResult?: (disposition: 'started' | 'queued' | 'handled') => void;
    },
  ): Promise<void>;
  sendUserMessage(
    content: string | ContentPart[],
    options?: { deliverAs?: 'steer' | 'followUp'; expandPromptTemplates?: boolean },
  ): Promise<void>;
  sendCustomMessage(
    message: { customType: string; content: string | ContentPart[]; display?: boolean; details?: unknown },
    options?: { triggerTurn?: boolean; deliverAs?: 'steer' | 'followUp' | 'nextTurn' },
  ): Promise<void>;
  steer(text: string, images?: ImageContent[]): Promise<'queued' | 'handled'>;
  followUp(text: string, images?: ImageContent[]): Promise<'queued' | 'handled'>;
  clearQueue(): { steering: readonly string[]; followUp: readonly string[] };
  getSteeringMessages(): readonly string[];
  getFollowUpMessages(): readonly string[];
  abort(): Promise<void>;
  waitForIdle(): Promise<void>;
  compact(instructions?: string): Promise<CompactionResult>;
  abortCompaction(): void;
  setModel(model: Model<Api>): Promise<void>;
  setThinkingLevel(level: ThinkingLevel): void;
  getAvailableThinkingLevels(): readonly string[];
  supportsThinking(): boolean;
  getActiveToolNames(): readonly string[];
  getAllTools(): readonly { name: string; description: string; parameters: object }[];
  setActiveToolsByName(names: readonly string[]): void;
  setSessionName(name: string): void;
  getUserMessagesForForking(): readonly { entryId: string; text: string }[];
  getSessionStats(): {
    sessionFile: string | undefined;
    sessionId: string;
    userMessages: number;
    assistantMessages: number;
    toolCalls: number;
    toolResults: number;
    totalMessages: number;
    tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
    cost: number;
    contextUsage: ContextUsage | undefined;
  };
  getContextUsage(): ContextUsage | undefined;
  getLastAssistantText(): string | undefined;
  hasExtensionHandlers(type: string): boolean;
  /** Ends what goes on and closes the session. */
  dispose(): void;
}

/** Makes a session, which ends with the hook that made it and with its conversation at the latest. */
export declare function createAgentSession(options?: CreateAgentSessionOptions): Promise<{ session: AgentSession }>;
