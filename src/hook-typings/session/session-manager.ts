import type {
  Api,
  AssistantMessage,
  AssistantMessageEventStream,
  Context,
  Model,
  Provider,
  SimpleStreamOptions,
} from '@mariozechner/pi-ai';
import type { AgentMessage, ContentPart } from './messages';
import type { SessionEntry, SessionHeader, SessionTreeNode } from './entries';
import type { ProviderConfig } from '../registered/provider';

/** `ctx.sessionManager`: reads the session. Entries are shared with the session: do not change them. */
export interface ReadonlySessionManager {
  getCwd(): string;
  getSessionDir(): string;
  getSessionId(): string;
  /** Undefined when the session is not saved. */
  getSessionFile(): string | undefined;
  getHeader(): SessionHeader | null;
  /** Where the next entry will hang; `null` in an empty session. */
  getLeafId(): string | null;
  getLeafEntry(): SessionEntry | undefined;
  getEntry(id: string): SessionEntry | undefined;
  getLabel(id: string): string | undefined;
  /** All entries of all branches, in file order, without the header. */
  getEntries(): SessionEntry[];
  /** The path from the root to the leaf, or to `fromId`. */
  getBranch(fromId?: string): SessionEntry[];
  /** The name that tree gave to `getBranch`. */
  getPath(fromId?: string): SessionEntry[];
  getTree(): SessionTreeNode[];
  getSessionName(): string | undefined;
  /** Whether it is saved in a file. */
  isPersisted(): boolean;
  /** The entries that the context is made of: the latest compaction, what it kept, and all after it. pi. */
  buildContextEntries(): SessionEntry[];
  /** The messages of the context, also by the entry that they come from, and what the path says of model and level. pi. */
  buildSessionProjection(): {
    entries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
    messages: AgentMessage[];
    thinkingLevel: string;
    model: { provider: string; modelId: string } | null;
  };
}

/** What `setup` of `ctx.newSession` gets: the new session, to be filled before it is used. */
export interface SessionManager extends ReadonlySessionManager {
  /** Each of these appends at the leaf and gives the id of the new entry. */
  appendMessage(message: Exclude<AgentMessage, { role: 'branchSummary' | 'compactionSummary' }>): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendCustomMessageEntry(
    customType: string,
    content: string | ContentPart[],
    display: boolean,
    details?: unknown,
  ): string;
  appendThinkingLevelChange(level: string): string;
  appendModelChange(provider: string, modelId: string): string;
  appendSessionInfo(name: string): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
  /** The next entry hangs on this one. */
  branch(entryId: string): void;
  /** The next entry starts a new root. */
  resetLeaf(): void;
}

/** What a model is for. */
export type ModelType = 'chat' | 'image' | 'classifier';
/** A model of any kind, as far as all kinds say the same. */
export interface AnyModel {
  type?: ModelType;
  provider: string;
  id: string;
  api: Api;
  baseUrl: string;
}
interface Operated {
  stopReason: 'stop' | 'error' | 'aborted';
  errorMessage?: string;
}
/** What a classifier says to a question. */
export type ClassifierAnswer =
  | { type: 'choice'; choice: string; probabilities: Record<string, number>; confidence: number }
  | { type: 'score'; score: number; confidence: number }
  /** How likely `true` is. */
  | { type: 'bool'; probability: number };
/** What asking a model for classes came to. */
export interface ClassifierResult extends Operated {
  /** By question; empty when it failed. */
  answers: Record<string, ClassifierAnswer | undefined>;
}
/** What asking a model for images came to. */
export interface ImagesResult extends Operated {
  /** Empty when it failed. */
  output: object[];
}
/** Options of `stream` and `complete` of the registry. */
export interface ModelStreamOptions extends SimpleStreamOptions {
  /** The name of `reasoning` among OpenAI's own options. */
  reasoningEffort?: 'none' | NonNullable<SimpleStreamOptions['reasoning']>;
}
/** `ctx.modelRegistry`: models and their keys. */
export interface ModelRegistry {
  getAll(): Model<Api>[];
  /** Models whose key is known. `await` is harmless. */
  getAvailable(): Model<Api>[];
  /** The name in tree. */
  getAvailableModels(): Model<Api>[];
  find(provider: string, modelId: string): Model<Api> | undefined;
  /** The description of tree reads it without `await`; it is a promise anyway. */
  getApiKey(model: Model<Api>): Promise<string | undefined>;
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  /** What a call of a model by your own client needs; never rejects. ext, pi. */
  getApiKeyAndHeaders(model: Model<Api>): Promise<
    | {
        ok: true;
        apiKey?: string;
        headers?: Record<string, string | null>;
        baseUrl?: string;
        env?: Record<string, string>;
      }
    | { ok: false; error: string }
  >;
  /** Whether a provider has a key, and where it comes from. ext, pi. */
  getProviderAuthStatus(provider: string): { configured: boolean; source?: string; label?: string };
  getProviderDisplayName(provider: string): string;
  /** pi. */
  getProvider(provider: string): { id: string; name: string; baseUrl: string; getModels(): Model<Api>[] } | undefined;
  /** pi. */
  getProviderAuth(provider: string): Promise<
    | {
        auth: { apiKey?: string; headers?: Record<string, string | null>; baseUrl?: string };
        env?: Record<string, string>;
        /** Where the key comes from. */
        source?: string;
      }
    | undefined
  >;
  /** Names of the providers that hooks registered, what they registered, and whole providers among them. pi. */
  getRegisteredProviderIds(): readonly string[];
  getRegisteredProviderConfig(provider: string): ProviderConfig | undefined;
  getRegisteredNativeProvider(provider: string): Provider | undefined;
  /** Asks a model with the keys that are known here. pi. */
  streamSimple(model: Model<Api>, context: Context, options?: SimpleStreamOptions): AssistantMessageEventStream;
  /** {@link stream}, waited for. pi. */
  complete(model: Model<Api>, context: Context, options?: ModelStreamOptions): Promise<AssistantMessage>;
  /** {@link streamSimple}. pi. */
  stream(model: Model<Api>, context: Context, options?: ModelStreamOptions): AssistantMessageEventStream;
  /** `chat`, `image` or `classifier`. pi. */
  getModelsOfType(type: ModelType, provider?: string): readonly AnyModel[];
  getAvailableOfType(type: ModelType, provider?: string): Promise<readonly AnyModel[]>;
  getModelOfType(type: ModelType, provider: string, id: string): AnyModel | undefined;
  findOfType(type: ModelType, provider: string, id: string): AnyModel | undefined;
  /** Asks a model for classes; never rejects. pi. */
  classify(model: AnyModel, context: object, options?: object): Promise<ClassifierResult>;
  /** Asks a model for images; never rejects. pi. */
  generateImages(model: AnyModel, context: object, options?: object): Promise<ImagesResult>;
  isUsingOAuth(model: Model<Api>): boolean;
  /** Whether its provider needs no key, or has one. pi. */
  hasConfiguredAuth(model: Model<Api>): boolean;
  /** Reads models.json again, and lets providers look for their models. */
  refresh(options?: { allowNetwork?: boolean; force?: boolean; signal?: AbortSignal }): Promise<{
    aborted: boolean;
    errors: ReadonlyMap<string, Error>;
  }>;
  /** What is wrong with models.json. */
  getError(): string | undefined;
}
