import type { Api, Model } from '@mariozechner/pi-ai';
import type { ConfigValues } from './keys/config-value';
import type { FileProvider } from './models-file';
import type { ModelEntry, ModelOverride, ProviderEntry } from './models-schema';
import type { ProviderRegistration } from './provider-config';

/** Everything the list of models is made of. */
export interface ModelParts {
  readonly builtIn: readonly Model<Api>[];
  readonly file: ReadonlyMap<string, FileProvider>;
  readonly registered: readonly ProviderRegistration[];
  readonly values: ConfigValues;
}

/** What a model gets that says no more than its id, as a local server's would (pi's numbers). */
const DEFAULTS = {
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 16_384,
} satisfies Partial<Model<Api>>;

/**
 * The models in force: built-in ones with the overrides of models.json, its own models put in
 * their place or behind, then what code registered, in order. Pure but for environment variables in headers; headers
 * that a command gives are added per request.
 */
export function assembleModels({ builtIn, file, registered, values }: ModelParts): Model<Api>[] {
  let models = builtIn.map(model => {
    const provider = file.get(model.provider);
    if (provider === undefined) return model;
    const changed = withProvider(model, provider.settings, values);
    const override = provider.overrides.get(model.id);
    return override === undefined ? changed : withOverride(changed, override, values);
  });
  for (const [name, { settings, models: entries }] of file) {
    for (const entry of entries) models = upsert(models, toModel(name, entry, settings, values));
  }
  for (const { name, config } of registered) {
    const entries = config.models ?? [];
    if (entries.length > 0) {
      const own = entries.map(entry => toModel(name, entry, config, values));
      models = [...models.filter(model => model.provider !== name), ...own];
    } else {
      models = models.map(model => (model.provider === name ? withProvider(model, config, values) : model));
    }
  }
  return models;
}

function toModel(provider: string, entry: ModelEntry, settings: ProviderEntry, values: ConfigValues): Model<Api> {
  const { headers: ownHeaders, compat: ownCompat, baseUrl, ...plain } = entry;
  const headers = knownHeaders({ ...settings.headers, ...ownHeaders }, values);
  const compat = merged(settings.compat, ownCompat);
  return {
    ...DEFAULTS,
    id: entry.id,
    name: entry.id,
    api: settings.api ?? '',
    ...given(plain),
    provider,
    baseUrl: baseUrl ?? settings.baseUrl ?? '',
    ...(headers && { headers }),
    ...(compat && { compat }),
  };
}

/** Without members that code set to undefined, which must not hide defaults. */
function given<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function withProvider(model: Model<Api>, settings: ProviderEntry, values: ConfigValues): Model<Api> {
  const headers = knownHeaders(settings.headers, values);
  const compat = merged(model.compat, settings.compat);
  return {
    ...model,
    baseUrl: settings.baseUrl ?? model.baseUrl,
    ...(headers && { headers: { ...model.headers, ...headers } }),
    ...(compat && { compat }),
  };
}

function withOverride(model: Model<Api>, override: ModelOverride, values: ConfigValues): Model<Api> {
  const { cost, headers: ownHeaders, compat: ownCompat, ...plain } = override;
  const headers = knownHeaders(ownHeaders, values);
  const compat = merged(model.compat, ownCompat);
  return {
    ...model,
    ...plain,
    cost: { ...model.cost, ...cost },
    ...(headers && { headers: { ...model.headers, ...headers } }),
    ...(compat && { compat }),
  };
}

function knownHeaders(
  headers: Readonly<Record<string, string>> | undefined,
  values: ConfigValues,
): Record<string, string> | undefined {
  const known = Object.entries(headers ?? {}).flatMap(([name, value]) => {
    const resolved = values.resolveNow(value);
    return resolved === undefined ? [] : [[name, resolved] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** Merges switches; routing rules inside them member by member, as pi does. */
function merged(base: object | undefined, change: Readonly<Record<string, unknown>> | undefined): object | undefined {
  if (change === undefined) return base;
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(change)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function upsert(models: readonly Model<Api>[], model: Model<Api>): Model<Api>[] {
  const at = models.findIndex(other => other.provider === model.provider && other.id === model.id);
  return at < 0 ? [...models, model] : models.with(at, model);
}
