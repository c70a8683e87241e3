import type { Api, Model } from '@mariozechner/pi-ai';
import type { ConfigValue, ConfigValues } from './keys/config-value';
import type { FileProvider } from './files/models-file';
import type { ProviderEntry, ProviderModel } from './files/models-schema';
import type { ProviderRegistration } from './provider-config';

/** Where providers are configured: models.json, and code, which has priority. */
export interface ProviderSources {
  readonly file: ReadonlyMap<string, FileProvider>;
  /** Absolute path of models.json. */
  readonly path: string;
  readonly registered: readonly ProviderRegistration[];
}

/** A source of a provider's configuration; converts its texts to {@link ConfigValue}s. */
interface Origin {
  readonly place: string;
  readonly file?: string;
  readonly bareName?: boolean;
}

/** The key that is configured for a provider; undefined when there is none. */
export function configuredKey(provider: string, sources: ProviderSources): ConfigValue | undefined {
  const found = settingsOf(provider, sources).findLast(({ settings }) => settings.apiKey !== undefined);
  return found?.settings.apiKey === undefined ? undefined : valueIn(found.origin, 'apiKey', found.settings.apiKey);
}

/** Whether the provider wants its key as `Authorization: Bearer`. */
export function sendsBearer(provider: string, sources: ProviderSources): boolean {
  const configured = settingsOf(provider, sources).flatMap(({ settings }) => settings.authHeader ?? []);
  return configured.at(-1) ?? false;
}

const NO_HEADERS = {};

/**
 * Headers that are configured for a model. Of several with one name, the model's has priority over its provider's, and code has
 * priority over models.json. Undefined members that code sets are left out.
 */
export function configuredHeaders(
  model: Pick<Model<Api>, 'provider' | 'id'> & { readonly type?: ProviderModel['type'] },
  sources: ProviderSources,
): Readonly<Record<string, ConfigValue>> {
  const { provider, id, type = 'chat' } = model;
  const inFile = sources.file.get(provider);
  // This runs for more than a thousand models at each start, and few have headers.
  if (inFile === undefined && !sources.registered.some(({ name }) => name === provider)) return NO_HEADERS;
  const ofProvider = settingsOf(provider, sources).map(({ origin, settings }) => valuesIn(origin, settings.headers));
  const fromFile = [
    valuesIn(fileOrigin(sources, provider, `, modelOverrides "${id}"`), inFile?.overrides.get(id)?.headers),
    valuesIn(fileOrigin(sources, provider, `, model "${id}"`), inFile?.models.find(entry => entry.id === id)?.headers),
  ];
  const fromCode = registrationsOf(provider, sources).map(registration => {
    const origin = codeOrigin(registration);
    const entry = registration.config.models?.find(each => each.id === id && (each.type ?? 'chat') === type);
    return valuesIn({ ...origin, place: `${origin.place}, model "${id}"` }, entry?.headers);
  });
  return Object.assign({}, ...ofProvider, ...fromFile, ...fromCode) as Readonly<Record<string, ConfigValue>>;
}

/** {@link configuredHeaders} as far as they are known without running a command; undefined when there are none. */
export function knownHeaders(
  headers: Readonly<Record<string, ConfigValue>>,
  values: ConfigValues,
): Record<string, string> | undefined {
  const known = Object.entries(headers).flatMap(([name, value]) => {
    const resolved = values.resolveNow(value);
    return resolved === undefined ? [] : [[name, resolved] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The headers that models.json has for each provider, model and override. */
export function headersOfFile({
  file,
  path,
}: Pick<ProviderSources, 'file' | 'path'>): readonly Readonly<Record<string, ConfigValue>>[] {
  return [...file].flatMap(([provider, { settings, models, overrides }]) => {
    const at = (more = ''): Origin => fileOrigin({ path }, provider, more);
    return [
      valuesIn(at(), settings.headers),
      ...models.map(({ id, headers }) => valuesIn(at(`, model "${id}"`), headers)),
      ...[...overrides].map(([id, { headers }]) => valuesIn(at(`, modelOverrides "${id}"`), headers)),
    ];
  });
}

/** Every key and header of models.json. */
export function valuesOfFile(sources: Pick<ProviderSources, 'file' | 'path'>): readonly ConfigValue[] {
  const keys = [...sources.file].flatMap(
    ([
      provider,
      {
        settings: { apiKey },
      },
    ]) => (apiKey === undefined ? [] : [valueIn(fileOrigin(sources, provider, ''), 'apiKey', apiKey)]),
  );
  return [...keys, ...headersOfFile(sources).flatMap(headers => Object.values(headers))];
}

function settingsOf(
  provider: string,
  sources: ProviderSources,
): readonly { readonly origin: Origin; readonly settings: ProviderEntry }[] {
  const inFile = sources.file.get(provider);
  const inCode = registrationsOf(provider, sources).map(registration => ({
    origin: codeOrigin(registration),
    settings: registration.config,
  }));
  return inFile === undefined
    ? inCode
    : [{ origin: fileOrigin(sources, provider), settings: inFile.settings }, ...inCode];
}

function registrationsOf(provider: string, { registered }: ProviderSources): readonly ProviderRegistration[] {
  return registered.filter(({ name }) => name === provider);
}

function fileOrigin({ path }: Pick<ProviderSources, 'path'>, provider: string, more = ''): Origin {
  return { place: `models.json, provider "${provider}"${more}`, file: path };
}

function codeOrigin({ name, sourceId, namesKeysBare }: ProviderRegistration): Origin {
  return { place: `provider "${name}"${sourceId === '' ? '' : ` of ${sourceId}`}`, bareName: namesKeysBare };
}

function valuesIn(origin: Origin, headers: ProviderEntry['headers']): Readonly<Record<string, ConfigValue>> {
  const given = Object.entries(headers ?? {});
  return Object.fromEntries(given.map(([name, text]) => [name, valueIn(origin, `header "${name}"`, text)]));
}

function valueIn({ place, ...origin }: Origin, field: string, text: string): ConfigValue {
  return { ...origin, place: `${place}, ${field}`, text };
}
