import type {
  Api,
  AssistantMessageEventStream,
  Context,
  Model,
  OAuthCredentials,
  OAuthLoginCallbacks,
  SimpleStreamOptions,
} from '@mariozechner/pi-ai';

/** A model of a provider that a hook adds. Only `id` is required. */
export interface ProviderModelConfig {
  id: string;
  name?: string;
  api?: Api;
  baseUrl?: string;
  reasoning?: boolean;
  input?: ('text' | 'image')[];
  /** US dollars per million tokens. */
  cost?: { input: number; output: number; cacheRead: number; cacheWrite: number };
  contextWindow?: number;
  maxTokens?: number;
  headers?: Record<string, string>;
  compat?: Record<string, unknown>;
}

/** A login of a provider that a hook adds. */
export interface OAuthProviderInterface {
  readonly id: string;
  readonly name: string;
  /** Lets a person log in. Resolves with the tokens to keep. */
  login(callbacks: OAuthLoginCallbacks): Promise<OAuthCredentials>;
  /** New tokens for expired ones. */
  refreshToken(credentials: OAuthCredentials, signal?: AbortSignal): Promise<OAuthCredentials>;
  /** What is sent as the key of a request. */
  getApiKey(credentials: OAuthCredentials): string;
  /** Whether the login waits for a browser at an address of this machine; a pasted code is asked for then. */
  usesCallbackServer?: boolean;
  /** Changes the models that this login reaches, their addresses for instance. */
  modifyModels?(models: Model<Api>[], credentials: OAuthCredentials): Model<Api>[];
}

/** Second argument of `pi.registerProvider`. */
export interface ProviderConfig {
  name?: string;
  /** Alone: where the provider's built-in models are reached. */
  baseUrl?: string;
  /** `!command`, a text with `$NAME` or `${NAME}`, the bare name of an environment variable, or the key itself. */
  apiKey?: string;
  api?: Api;
  headers?: Record<string, string>;
  /** Send the key as `Authorization: Bearer`. */
  authHeader?: boolean;
  compat?: Record<string, unknown>;
  /** Replaces all models of that provider. */
  models?: readonly ProviderModelConfig[];
  /** Streams replies of models whose `api` is this config's. */
  streamSimple?: (model: Model<Api>, context: Context, options?: SimpleStreamOptions) => AssistantMessageEventStream;
  oauth?: Omit<OAuthProviderInterface, 'id'>;
}
