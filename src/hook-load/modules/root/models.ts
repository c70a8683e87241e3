import type { Api, Model } from '@mariozechner/pi-ai';
import { findRequestedModel, type ModelRequest } from '../../../agent/models/choice/model-request';
import { resolveModelScope } from '../../../agent/models/choice/model-scope';
import type { ModelRegistry } from '../../../agent/models/registry';
import type { ThinkingLevel } from '../../../agent/thinking-levels';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import { messageOf } from '../../../base/errors';

/** The members that are used here of the model registry that the conversations use. */
export type RuntimeRegistry = Pick<
  ModelRegistry,
  | 'authStorage'
  | 'complete'
  | 'find'
  | 'getAll'
  | 'getAvailable'
  | 'getError'
  | 'getProvider'
  | 'getProviderAuth'
  | 'getProviderAuthStatus'
  | 'hasConfiguredAuth'
  | 'isUsingOAuth'
  | 'load'
  | 'refresh'
  | 'requestAuth'
  | 'streamSimple'
>;

type Request = Parameters<RuntimeRegistry['streamSimple']>;

/**
 * pi's `ModelRuntime`, based on the registry of the conversations, because only that one knows the user's keys. The
 * members that pi has for programs that embed it are missing.
 */
export function modelRuntimeFor(registry: (() => RuntimeRegistry) | undefined): object {
  return class ModelRuntime {
    private constructor(private readonly registry: RuntimeRegistry) {}

    /** Rejects when an option names separate files or stores for keys or models; only pi's program reads those. */
    static async create(options: Readonly<Record<string, unknown>> = {}): Promise<ModelRuntime> {
      const own = ['credentials', 'authPath', 'modelsPath', 'modelsStore', 'modelsStorePath'].find(
        name => options[name] !== undefined,
      );
      if (own !== undefined) {
        throw new Error(`ModelRuntime.create: "${own}" is not available in this runtime, which has its own keys.`);
      }
      if (registry === undefined) throw new Error('ModelRuntime is not available in this runtime.');
      await registry().load();
      return new ModelRuntime(registry());
    }

    getProviders(): object[] {
      const ids = new Set(this.registry.getAll().map(({ provider }) => provider));
      return [...ids].flatMap(id => this.registry.getProvider(id) ?? []);
    }

    getProvider(id: string): object | undefined {
      return this.registry.getProvider(id);
    }

    getModels(provider?: string): Model<Api>[] {
      return ofProvider(this.registry.getAll(), provider);
    }

    getModel(provider: string, id: string): Model<Api> | undefined {
      return this.registry.find(provider, id);
    }

    getAvailable(provider?: string): Promise<Model<Api>[]> {
      return Promise.resolve(ofProvider(this.registry.getAvailable(), provider));
    }

    getAvailableSnapshot(): Model<Api>[] {
      return this.registry.getAvailable();
    }

    getError(): string | undefined {
      return this.registry.getError();
    }

    hasConfiguredAuth(provider: string): boolean {
      return this.registry.hasConfiguredAuth({ provider });
    }

    isUsingOAuth(provider: string): boolean {
      return this.registry.isUsingOAuth({ provider });
    }

    getProviderAuthStatus(provider: string): object {
      return this.registry.getProviderAuthStatus(provider);
    }

    /**
     * The credentials of a provider or a model; undefined if none. Rejects when a key is configured but cannot be read.
     */
    async getAuth(of: string | Model<Api>): Promise<object | undefined> {
      if (typeof of === 'string') return this.registry.getProviderAuth(of);
      const { env, ...auth } = await this.registry.requestAuth(of);
      return auth.apiKey === undefined ? undefined : { auth, ...defined({ env }) };
    }

    setRuntimeApiKey(provider: string, key: string): Promise<void> {
      this.registry.authStorage.setRuntimeApiKey(provider, key);
      return Promise.resolve();
    }

    removeRuntimeApiKey(provider: string): Promise<void> {
      this.registry.authStorage.removeRuntimeApiKey(provider);
      return Promise.resolve();
    }

    streamSimple(...request: Request): object {
      return this.registry.streamSimple(...request);
    }

    stream(...request: Request): object {
      return this.registry.streamSimple(...request);
    }

    complete(...request: Request): Promise<object> {
      return this.registry.complete(...request);
    }

    completeSimple(...request: Request): Promise<object> {
      return this.registry.complete(...request);
    }

    refresh(): ReturnType<ModelRegistry['refresh']> {
      return this.registry.refresh();
    }
  };
}

function ofProvider(models: readonly Model<Api>[], provider: string | undefined): Model<Api>[] {
  return models.filter(model => provider === undefined || model.provider === provider);
}

interface Runtime {
  getModels(): readonly Model<Api>[];
  getAvailable(): Promise<readonly Model<Api>[]>;
  hasConfiguredAuth(provider: string): boolean;
}

/** The model that a command line requests. Never throws: the result has a member `error`. */
export function resolveCliModel(options: {
  readonly cliProvider?: string;
  readonly cliModel?: string;
  readonly cliThinking?: ThinkingLevel;
  readonly inlineApiKey?: boolean;
  readonly modelRuntime: Runtime;
}): object {
  const { cliProvider: provider, cliModel: model, cliThinking: thinking, inlineApiKey, modelRuntime } = options;
  if (model === undefined || model === '') return { model: undefined, warning: undefined, error: undefined };
  const request: ModelRequest = {
    model,
    ...defined({ provider, thinking }),
  };
  try {
    const hasKey = (of: Model<Api>): boolean => inlineApiKey !== true && modelRuntime.hasConfiguredAuth(of.provider);
    const found = findRequestedModel(request, modelRuntime.getModels(), hasKey);
    return { model: found?.model, thinkingLevel: found?.thinking, warning: found?.warning, error: undefined };
  } catch (error) {
    return { model: undefined, warning: undefined, error: messageOf(error) };
  }
}

/** The models that match the patterns, from the models that have a key. */
export async function resolveModelScopeWithDiagnostics(
  patterns: readonly string[],
  modelRuntime: Runtime,
): Promise<object> {
  const models = await modelRuntime.getAvailable();
  const diagnostics = patterns.flatMap(pattern =>
    resolveModelScope([pattern], models).warnings.map(warning => ({ type: 'warning', ...warning, pattern })),
  );
  const scopedModels = resolveModelScope(patterns, models).models.map(({ model, thinkingLevel }) => ({
    model,
    thinkingLevel,
  }));
  return { scopedModels, diagnostics };
}

/**
 * The unchanged entry of a provider in the text of an auth.json; undefined when there is none or the text is invalid.
 */
export function storedCredentialIn(text: string | undefined, provider: string): unknown {
  try {
    const entries: unknown = JSON.parse(text?.replace(/^\uFEFF/, '') ?? '{}');
    return isRecord(entries) ? entries[provider] : undefined;
  } catch {
    return undefined; // A file that is not JSON holds no credentials.
  }
}
