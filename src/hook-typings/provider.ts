import type {
  Api,
  AssistantMessageEventStream,
  Context,
  Model,
  OAuthProviderInterface,
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
