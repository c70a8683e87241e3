import type {
  Api,
  AssistantMessage,
  AssistantMessageEventStream,
  Context,
  Model,
  SimpleStreamOptions,
} from '@mariozechner/pi-ai';
import type { AgentMessage, ContentPart } from './messages';
import type { SessionEntry, SessionHeader, SessionTreeNode } from './entries';

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

/** `ctx.modelRegistry`: models and their keys. */
export interface ModelRegistry {
  getAll(): Model<Api>[];
  /** Models whose key is known. `await` is harmless. */
  getAvailable(): Model<Api>[];
  /** The name in the tree document. */
  getAvailableModels(): Model<Api>[];
  find(provider: string, modelId: string): Model<Api> | undefined;
  /** The tree document reads it without `await`; it is a promise all the same. */
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
      }
    | undefined
  >;
  /** Asks a model with the keys that are known here. pi. */
  streamSimple(model: Model<Api>, context: Context, options?: SimpleStreamOptions): AssistantMessageEventStream;
  /** {@link streamSimple}, waited for. pi. */
  complete(model: Model<Api>, context: Context, options?: SimpleStreamOptions): Promise<AssistantMessage>;
  isUsingOAuth(model: Model<Api>): boolean;
  refresh(): Promise<void>;
  /** What is wrong with models.json. */
  getError(): string | undefined;
}
