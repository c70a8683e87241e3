import { messageOf } from '../../../base/errors';
import { learnSecret } from '../../../base/text/redact';
import type { ApiKeySource } from './api-key-source';
import type { AuthFile } from './auth-file';
import type { ConfigValue, ConfigValues } from './config-value';
import { keyVariables } from './missing-key';
import type { OAuthLogins } from './oauth';

/** The sources of keys, in this order. Keys that were set for this process come first. */
export interface KeySources {
  /** Keys the user typed in (SecretStorage). */
  readonly typed: ApiKeySource;
  readonly auth: AuthFile;
  readonly logins: OAuthLogins;
  /** The configuration value of `apiKey` in models.json or of a registered provider. */
  readonly configured: (provider: string) => ConfigValue | undefined;
  /** pi-ai's reading of the environment. */
  readonly environment: (provider: string) => string | undefined;
  readonly values: ConfigValues;
}

/** Whether a provider has a key, and where; `label` names variables that are read. */
export interface ProviderAuthStatus {
  readonly configured: boolean;
  readonly source?: 'runtime' | 'stored' | 'models_json_key' | 'models_json_command' | 'fallback' | 'environment';
  readonly label?: string;
}

/**
 * Finds the key of a provider: override of this process, then SecretStorage, auth.json's key, auth.json's login, models.json, the
 * environment (docs/models.md, Keys). Keys are not kept. What is kept is which provider has one, and what must stay secret.
 */
export class KeyRing {
  private readonly overrides = new Map<string, string>();
  private typedFor = new Set<string>();

  constructor(private readonly sources: KeySources) {}

  setOverride(provider: string, key: string): void {
    this.overrides.set(provider, key);
  }

  removeOverride(provider: string): void {
    this.overrides.delete(provider);
  }

  /** Asks again which of `providers` have a typed key. */
  async noteTyped(providers: readonly string[]): Promise<void> {
    const { typed } = this.sources;
    if (typed.list !== undefined) {
      this.typedFor = new Set(await typed.list());
      return;
    }
    const found = await Promise.all(providers.map(async provider => ((await typed.get(provider)) ? [provider] : [])));
    this.typedFor = new Set(found.flat());
  }

  /** True if some source has a key. A command counts without running it, and a variable counts only if it is set. */
  has(provider: string): boolean {
    const { auth, environment, configured, values } = this.sources;
    const isConfigured = (value: ConfigValue | undefined): boolean => value !== undefined && values.isConfigured(value);
    return (
      this.overrides.has(provider) ||
      this.typedFor.has(provider) ||
      auth.get(provider)?.type === 'oauth' ||
      isConfigured(auth.key(provider)) ||
      isConfigured(configured(provider)) ||
      environment(provider) !== undefined
    );
  }

  /** Where the key of a provider comes from, in the words that pi uses for hooks. */
  sourceName(provider: string): string | undefined {
    const { source, label } = this.status(provider);
    if (source === undefined || source === 'runtime') return undefined;
    if (source === 'stored') return this.sources.auth.get(provider)?.type === 'oauth' ? 'OAuth' : 'stored credential';
    return this.configuredNow(provider) === undefined ? label : 'configured API key';
  }

  /** Where the key of a provider comes from, in pi's words; nothing is run for it. */
  status(provider: string): ProviderAuthStatus {
    const { auth, environment, values } = this.sources;
    if (this.overrides.has(provider)) return { configured: true, source: 'runtime' };
    const isStored = this.typedFor.has(provider) || auth.get(provider) !== undefined;
    if (isStored && this.has(provider)) return { configured: true, source: 'stored' };
    const value = this.configuredNow(provider);
    const variables = value === undefined ? keyVariables(provider) : values.variables(value);
    if (value !== undefined && variables.length === 0) {
      const ownSource = value.file === undefined ? 'fallback' : 'models_json_key';
      return { configured: true, source: value.text.startsWith('!') ? 'models_json_command' : ownSource };
    }
    if (value === undefined && environment(provider) === undefined) return { configured: false };
    const label = variables.join(', ');
    return { configured: true, source: 'environment', ...(label === '' ? {} : { label }) };
  }

  /** The configured key of a provider, unless a variable is missing. */
  private configuredNow(provider: string): ConfigValue | undefined {
    const value = this.sources.configured(provider);
    return value !== undefined && this.sources.values.isConfigured(value) ? value : undefined;
  }

  /**
   * The first key that is available; undefined if no source mentions the provider.
   * @throws Error for people, if sources mention it and all of them fail
   */
  async find(provider: string): Promise<string | undefined> {
    const failures: string[] = [];
    for (const source of this.lookups(provider)) {
      try {
        const key = await source();
        if (key === undefined || key === '') continue;
        learnSecret(key);
        return key;
      } catch (error) {
        failures.push(messageOf(error));
      }
    }
    if (failures.length > 0) throw new Error(`No API key for provider "${provider}". ${failures.join(' ')}`);
    return undefined;
  }

  private lookups(provider: string): readonly (() => Promise<string | undefined>)[] {
    const { typed, auth, logins, environment, configured } = this.sources;
    return [
      () => Promise.resolve(this.overrides.get(provider)),
      () => typed.get(provider),
      () => this.resolved(auth.key(provider)),
      async () => (await logins.auth(provider))?.apiKey,
      () => this.resolved(configured(provider)),
      () => Promise.resolve(environment(provider)),
    ];
  }

  private async resolved(value: ConfigValue | undefined): Promise<string | undefined> {
    if (value === undefined) return undefined;
    const result = await this.sources.values.resolve(value);
    if (result.ok) return result.value;
    throw new Error(result.problems.map(({ message }) => message).join(' '));
  }
}
