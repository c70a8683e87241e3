import type { Api, Model } from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { configuredHeaders, knownHeaders, type ProviderSources } from './configured-auth';
import type { ConfigValues } from './keys/config-value';
import { isChatEntry, type ModelEntry, type ModelOverride, type ProviderEntry } from './files/models-schema';

/** The sources of the list of models. */
export interface ModelParts {
  readonly builtIn: readonly Model<Api>[];
  readonly sources: ProviderSources;
  readonly values: ConfigValues;
}

/** Defaults for a model with only an id, such as one of a local server (pi's numbers). */
const DEFAULTS = {
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 16_384,
} satisfies Partial<Model<Api>>;

/**
 * The current models: the built-in ones with the changes of models.json, the models of models.json, then those that
 * code registered, in order; last come the overrides of models.json, as in pi. Pure but for environment variables in
 * headers; headers that a command gives are added per request.
 */
export function assembleModels({ builtIn, sources, values }: ModelParts): Model<Api>[] {
  let models = builtIn.map(model => {
    const provider = sources.file.get(model.provider);
    return provider === undefined ? model : withProvider(model, provider.settings);
  });
  for (const [name, { settings, models: entries }] of sources.file) {
    const own = builtIn.filter(({ provider }) => provider === name);
    for (const entry of entries) models = upsert(models, toModel(name, withDefaults(entry, settings, own), settings));
  }
  for (const { name, config } of sources.registered) {
    const entries = config.models ?? [];
    if (entries.length > 0) {
      const own = entries.filter(isChatEntry).map(entry => toModel(name, entry, config));
      models = [...models.filter(model => model.provider !== name), ...own];
    } else {
      models = models.map(model => (model.provider === name ? withProvider(model, config) : model));
    }
  }
  return models.map(assembled => {
    const override = sources.file.get(assembled.provider)?.overrides.get(assembled.id);
    const model = override === undefined ? assembled : withOverride(assembled, override);
    const headers = knownHeaders(configuredHeaders(model, sources), values);
    return headers === undefined ? model : { ...model, headers: { ...model.headers, ...headers } };
  });
}

/** Completes an entry from the provider's built-in models: the API and the address of the most similar one. */
function withDefaults(entry: ModelEntry, settings: ProviderEntry, builtIn: readonly Model<Api>[]): ModelEntry {
  const wanted = entry.api ?? settings.api;
  const like =
    builtIn.find(({ id }) => id === entry.id) ??
    builtIn.find(({ api }) => api === wanted) ??
    builtIn.find(({ api }) => api === 'openai-completions') ??
    builtIn[0];
  const api = wanted ?? like?.api;
  const baseUrl = entry.baseUrl ?? settings.baseUrl ?? like?.baseUrl;
  return { ...entry, ...defined({ api, baseUrl }) };
}

function toModel(provider: string, entry: ModelEntry, settings: ProviderEntry): Model<Api> {
  const { compat: ownCompat, baseUrl, ...plain } = entry;
  const compat = merged(settings.compat, ownCompat);
  return {
    ...DEFAULTS,
    id: entry.id,
    name: entry.id,
    api: settings.api ?? '',
    ...defined({ ...plain, headers: undefined }),
    provider,
    baseUrl: baseUrl ?? settings.baseUrl ?? '',
    ...(compat && { compat }),
  };
}

function withProvider(model: Model<Api>, settings: ProviderEntry): Model<Api> {
  const compat = merged(model.compat, settings.compat);
  return {
    ...model,
    baseUrl: settings.baseUrl ?? model.baseUrl,
    ...(compat && { compat }),
  };
}

function withOverride(model: Model<Api>, override: ModelOverride): Model<Api> {
  const { cost, ...plain } = override;
  const objects = MERGED.flatMap(name => {
    const value = merged(model[name as keyof Model<Api>] as object | undefined, override[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...model,
    ...defined({ ...plain, headers: undefined }),
    cost: { ...model.cost, ...cost },
    ...Object.fromEntries(objects),
  };
}

/** Members of a model that an override changes member by member. */
const MERGED = [
  'compat',
  'thinkingLevelMap',
  'inputLimits',
  'promptCache',
  'samplingParams',
  'samplingParamsByThinkingLevel',
] as const;

/** Merges objects, and those inside them, member by member. */
function merged(base: object | undefined, change: Readonly<Record<string, unknown>> | undefined): object | undefined {
  if (change === undefined) return base;
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(change)) {
    const before = result[name];
    result[name] = isRecord(before) && isRecord(value) ? merged(before, value) : value;
  }
  return result;
}

function upsert(models: readonly Model<Api>[], model: Model<Api>): Model<Api>[] {
  const at = models.findIndex(other => other.provider === model.provider && other.id === model.id);
  return at < 0 ? [...models, model] : models.with(at, model);
}
