import type {
  Api,
  AssistantMessageEventStream,
  Context,
  Model,
  OAuthCredentials,
  OAuthLoginCallbacks,
  RefreshModelsContext,
  SimpleStreamOptions,
  TranscriptContext,
} from '@mariozechner/pi-ai';

interface ProviderModelBase {
  id: string;
  name?: string;
  api?: Api;
  baseUrl?: string;
  input?: ('text' | 'image')[];
  /** US dollars per million tokens. */
  cost?: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    tiers?: { inputTokensAbove: number; input: number; output: number; cacheRead: number; cacheWrite: number }[];
  };
  headers?: Record<string, string>;
}

/** A chat model of a provider that a hook adds. Only `id` is required. */
export interface ProviderChatModelConfig extends ProviderModelBase {
  type?: 'chat';
  reasoning?: boolean;
  /** What the provider calls a level; `null`: the model does not know it. */
  thinkingLevelMap?: Record<string, string | null>;
  inputLimits?: Record<string, unknown>;
  /** Seconds that a prompt stays cached. */
  promptCache?: { short?: number; long?: number };
  contextWindow?: number;
  maxTokens?: number;
  samplingParams?: Record<string, unknown>;
  compat?: Record<string, unknown>;
}

/** A model that makes images. pi. */
export interface ProviderImageModelConfig extends ProviderModelBase {
  type: 'image';
  api: Api;
  output?: ('text' | 'image')[];
}

/** A model that answers with classes. pi. */
export interface ProviderClassifierModelConfig extends ProviderModelBase {
  type: 'classifier';
  api: Api;
  contextWindow?: number;
}

/** A model of a provider that a hook adds. */
export type ProviderModelConfig = ProviderChatModelConfig | ProviderImageModelConfig | ProviderClassifierModelConfig;

/** A login of a provider that a hook adds. */
export interface OAuthProviderInterface {
  readonly id: string;
  readonly name: string;
  /** Lets a user log in. Resolves with the tokens to keep. */
  login(callbacks: OAuthLoginCallbacks): Promise<OAuthCredentials>;
  /** New tokens for expired ones. */
  refreshToken(credentials: OAuthCredentials, signal?: AbortSignal): Promise<OAuthCredentials>;
  /** What is sent as the key of a request. */
  getApiKey(credentials: OAuthCredentials): string;
  /** Whether the login waits for a browser at an address of this machine; a pasted code is asked for then. */
  usesCallbackServer?: boolean;
  /** Whether a subscription pays. pi. */
  isSubscription?: boolean;
  /** Changes the models that this login reaches, their addresses for instance. */
  modifyModels?(models: Model<Api>[], credentials: OAuthCredentials): Model<Api>[];
}

/** What a provider's stream is asked with: it must use `onPayload`'s answer, and tell `onResponse`. */
export interface ProviderStreamOptions extends SimpleStreamOptions {
  /** Tell it of each event of the reply as it came, and wait for it. pi. */
  onProviderStreamEvent?: (data: unknown, model: Model<Api>) => void | Promise<void>;
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
  /** Finds models, in place of `models`; asked at the start, and when models are looked for again. pi. */
  refreshModels?: (context: RefreshModelsContext) => Promise<readonly ProviderModelConfig[]>;
  /** By API: what makes images, and what answers with classes. pi. */
  images?: Record<string, { generateImages(model: object, context: object, options?: object): Promise<object> }>;
  classifiers?: Record<string, { classify(model: object, context: object, options?: object): Promise<object> }>;
  /** Streams replies of models whose `api` is this config's. */
  streamSimple?: (
    model: Model<Api>,
    context: Context & TranscriptContext,
    options?: ProviderStreamOptions,
  ) => AssistantMessageEventStream;
  oauth?: Omit<OAuthProviderInterface, 'id'>;
}
