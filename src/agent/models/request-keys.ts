import type { Api, Model, ModelAuth } from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { learnSecret, learnSecretHeaders, learnSecretsNamed } from '../../base/text/redact';
import { configuredHeaders, sendsBearer, type ProviderSources } from './configured-auth';
import type { Credentials } from './keys/credentials';
import type { NativeProviders } from './native-providers';
import type { RequestAuth } from './requests/stream';
import { NO_KEY_NEEDED } from './servers/found-servers';

/** See {@link RequestKeys.keyAndHeaders}. */
export type KeyAndHeaders =
  | ({ readonly ok: true; readonly apiKey?: string } & Omit<RequestAuth, 'apiKey'>)
  | { readonly ok: false; readonly error: string };

/** Whether a provider wants a key. `never`: it gets none, even if there is one under its name. */
export type KeyUse = 'required' | 'optional' | 'never';

/** What {@link RequestKeys} depends on. */
export interface RequestKeysParts {
  /** Resolves once models.json and auth.json are read. */
  readonly load: () => Promise<void>;
  readonly sources: () => ProviderSources;
  readonly keyUse: (provider: string) => KeyUse;
  /** Whether the key of its provider is for another server than that of this model. */
  readonly isGone: (model: Model<Api>) => boolean;
  readonly native: NativeProviders;
  readonly credentials: Credentials;
  readonly log: Log;
}

/** Finds what a request to a model needs: its key, headers, address and settings of its provider. */
export class RequestKeys {
  constructor(private readonly parts: RequestKeysParts) {}

  /** True when a key of the provider is known, or none is needed; nothing is run or asked for it. */
  has(provider: string): boolean {
    const { native, credentials, keyUse } = this.parts;
    return keyUse(provider) !== 'required' || native.isConfigured(provider) || credentials.keyRing.has(provider);
  }

  /** The models whose provider {@link has} what it needs; each provider is looked up once. */
  withKey<M extends { readonly provider: string }>(models: readonly M[]): M[] {
    const providers = [...new Set(models.map(({ provider }) => provider))];
    const usable = new Set(providers.filter(provider => this.has(provider)));
    return models.filter(({ provider }) => usable.has(provider));
  }

  /** False if the address has a `{NAME}` for a variable that neither the environment nor auth.json gives. */
  hasWholeAddress({ provider, baseUrl }: Model<Api>): boolean {
    const names = [...baseUrl.matchAll(/\{([A-Z][A-Z\d_]*)\}/g)].map(([, name = '']) => name);
    if (names.length === 0) return true;
    const given = this.parts.credentials.envOf(provider);
    return names.every(name => (given[name] ?? '') !== '');
  }

  /** The key of a provider; undefined if none is available, and the log says why. Never rejects. */
  async find(provider: string): Promise<string | undefined> {
    try {
      return await this.keyOf(provider);
    } catch (error) {
      this.parts.log.warn(messageOf(error));
      return undefined;
    }
  }

  /** Key and headers of a request. Rejects with a text for people if a key is configured but not available. */
  async ofModel(model: Model<Api>): Promise<RequestAuth> {
    const { load, native, keyUse, isGone } = this.parts;
    if (native.get(model.provider) !== undefined) return this.ofNative(model);
    await load();
    const { id, provider, baseUrl } = model;
    const auth = keyUse(provider) === 'never' ? { apiKey: NO_KEY_NEEDED } : await this.ofConfigured(model);
    // Comes last: the provider may have been configured anew while its key was looked up.
    if (isGone(model)) {
      throw new Error(`Model "${id}" of provider "${provider}" is not offered at ${baseUrl} any more.`);
    }
    return auth;
  }

  /** {@link ofModel} as pi tells it to hooks; never rejects. */
  async keyAndHeaders(model: Model<Api>): Promise<KeyAndHeaders> {
    try {
      const { apiKey, ...rest } = await this.ofModel(model);
      if (apiKey === undefined && sendsBearer(model.provider, this.parts.sources())) {
        return { ok: false, error: `No API key found for "${model.provider}"` };
      }
      return { ok: true, ...defined({ apiKey }), ...rest };
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
  }

  private async ofConfigured(model: Model<Api>): Promise<RequestAuth> {
    const { credentials } = this.parts;
    const apiKey = await this.keyOf(model.provider);
    const login = await this.loginOf(model.provider, apiKey);
    const env = credentials.auth.env(model.provider);
    const headers = { ...login?.headers, ...(await this.headersOf(model, apiKey)) };
    learnSecretsNamed(headers);
    return {
      apiKey,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...defined({ baseUrl: login?.baseUrl, env }),
    };
  }

  private async ofNative(model: Model<Api>): Promise<RequestAuth> {
    await this.parts.load();
    const found = await this.parts.native.auth(model.provider);
    if (found === undefined) return { apiKey: undefined };
    const { apiKey, headers, baseUrl } = found.auth;
    learnSecret(apiKey);
    return {
      apiKey,
      ...(apiKey === undefined ? { isKeyless: true } : {}),
      headers: { ...headers, ...(await this.headersOf(model, apiKey)) },
      ...defined({ baseUrl, env: found.env }),
    };
  }

  private async keyOf(provider: string): Promise<string | undefined> {
    const { load, credentials, keyUse } = this.parts;
    await load();
    if (keyUse(provider) === 'never') return NO_KEY_NEEDED;
    const key = await credentials.keyRing.find(provider);
    return key ?? (keyUse(provider) === 'required' ? undefined : NO_KEY_NEEDED);
  }

  /** What the login tells about the source of a key. Undefined if the key is from elsewhere. */
  private async loginOf(provider: string, apiKey: string | undefined): Promise<ModelAuth | undefined> {
    const { auth, logins } = this.parts.credentials;
    if (auth.get(provider)?.type !== 'oauth') return undefined;
    const login = await logins.auth(provider);
    return login?.apiKey === apiKey ? login : undefined;
  }

  private async headersOf(model: Model<Api>, apiKey: string | undefined): Promise<Record<string, string>> {
    const { auth, values } = this.parts.credentials;
    const sources = this.parts.sources();
    const headers: Record<string, string> = {};
    const env = auth.env(model.provider);
    for (const [name, value] of Object.entries(configuredHeaders(model, sources))) {
      const result = await values.resolve(env === undefined ? value : { ...value, env });
      if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join(' '));
      headers[name] = result.value;
    }
    learnSecretHeaders(headers);
    if (sendsBearer(model.provider, sources) && apiKey !== undefined) headers['Authorization'] = `Bearer ${apiKey}`;
    return headers;
  }
}
