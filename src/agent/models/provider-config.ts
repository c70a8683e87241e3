import type {
  Api,
  AssistantMessageEventStream,
  Context,
  Model,
  RefreshModelsContext,
  SimpleStreamOptions,
} from '@mariozechner/pi-ai';
import { isRecord } from '../../base/json/is-record';
import { parse } from '../../base/json/schema';
import type { OAuthProvider } from './keys/oauth-provider';
import { ModelEntry, OtherModelEntry, ProviderEntry, type ProviderModel } from './files/models-schema';

/** What a hook gives to `pi.registerProvider`. */
export interface ProviderConfig extends ProviderEntry {
  readonly name?: string;
  /** Replaces all models of that provider. */
  readonly models?: readonly ProviderModel[];
  /** Finds models, in place of {@link models}. */
  readonly refreshModels?: (context: RefreshModelsContext) => Promise<readonly ProviderModel[]>;
  /** By API: objects with `generateImages`, and with `classify`. */
  readonly images?: Readonly<Record<string, object>>;
  readonly classifiers?: Readonly<Record<string, object>>;
  /** Streams replies of models whose `api` is this config's. */
  readonly streamSimple?: (
    model: Model<Api>,
    context: Context,
    options?: SimpleStreamOptions,
  ) => AssistantMessageEventStream;
  readonly oauth?: Omit<OAuthProvider, 'id'>;
}

/** A provider that code registered, and who did. */
export interface ProviderRegistration {
  readonly name: string;
  readonly config: ProviderConfig;
  readonly sourceId: string;
  /** Keys and headers may be the bare name of a variable. */
  readonly namesKeysBare: boolean;
  /**
   * Its stream serves every model of its `api`, also those of other providers, and a second registration replaces the
   * first one.
   */
  readonly sharesApi: boolean;
  /** Whether its stream gets the prompt and the tools as system messages, and not beside the messages. */
  readonly takesSystemMessages: () => boolean;
  /** A server that was found and that nobody configured: it counts only where nothing claims it, and gets no key. */
  readonly isFound: boolean;
}

/**
 * Checks a provider that foreign code registers.
 * @throws Error naming provider, model and field
 */
export function checkProviderConfig(name: string, value: unknown): ProviderConfig {
  const fail = (text: string): never => {
    throw new Error(`Provider "${name}": ${text}`);
  };
  if (typeof value !== 'object' || value === null) return fail('the configuration must be an object.');
  const config = value as ProviderConfig;
  const settings = parse(ProviderEntry, value);
  if (!settings.ok) return fail(settings.problems.map(problem => problem.message).join('; '));
  if (config.streamSimple !== undefined && config.api === undefined) fail('"api" is required with streamSimple.');
  const models: unknown = config.models ?? [];
  if (!Array.isArray(models)) return fail('"models" must be an array.');
  const lacksPlace = (item: unknown): boolean => isChat(item) && !(isRecord(item) && item['baseUrl'] !== undefined);
  if (models.some(lacksPlace) && config.baseUrl === undefined && config.streamSimple === undefined) {
    fail('"baseUrl" is required when models are defined.');
  }
  models.forEach((item: ProviderModel, index) => {
    const model = parse(isChat(item) ? ModelEntry : OtherModelEntry, item);
    if (!model.ok) return fail(`model number ${index + 1}: ${model.problems.map(({ message }) => message).join('; ')}`);
    if (model.value.api === undefined && config.api === undefined) {
      fail(`model "${model.value.id}": no "api" is given.`);
    }
    return undefined;
  });
  return config;
}

/** This is data of foreign code: nothing is known about it yet. */
function isChat(item: unknown): boolean {
  return !isRecord(item) || item['type'] === undefined || item['type'] === 'chat';
}

/** A registration merged with the earlier one of the same source for this provider: its own members have priority, as in pi. */
export function addedTo(before: ProviderConfig | undefined, config: ProviderConfig): ProviderConfig {
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}
