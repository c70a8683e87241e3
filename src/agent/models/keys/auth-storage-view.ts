import type { AuthEntry, AuthFile } from './auth-file';
import type { KeyAdvice } from './missing-key';
import type { KeyRing } from './key-ring';
import type { LoginProvider, OAuthLogins } from './oauth';
import type { LoginCallbacks } from './oauth-provider';

/** What the view needs of the registry. */
export interface ViewedRegistry {
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  hasConfiguredAuth(model: { readonly provider: string }): boolean;
  reload(): Promise<unknown>;
  update(): void;
  readonly keyAdvice: KeyAdvice;
}

/**
 * Credentials with the interface of pi's `AuthStorage`. Hooks get it as `ctx.modelRegistry.authStorage`. Keys cannot be written
 * through it: typed keys belong to SecretStorage, auth.json is written for logins alone.
 */
export class AuthStorageView {
  constructor(
    private readonly parts: {
      readonly registry: ViewedRegistry;
      readonly auth: AuthFile;
      readonly logins: OAuthLogins;
      readonly keys: KeyRing;
    },
  ) {}

  /** The entry of auth.json. */
  get(provider: string): AuthEntry | undefined {
    const entry = this.parts.auth.get(provider);
    return entry === undefined ? undefined : { ...entry };
  }

  getAll(): Record<string, AuthEntry> {
    const entries = this.list().map(provider => [provider, this.get(provider)] as const);
    return Object.fromEntries(entries.filter((entry): entry is [string, AuthEntry] => entry[1] !== undefined));
  }

  /** Providers with an entry in auth.json. */
  list(): string[] {
    return [...this.parts.auth.list()];
  }

  has(provider: string): boolean {
    return this.parts.auth.get(provider) !== undefined;
  }

  /** True when any source has a key for the provider. */
  hasAuth(provider: string): boolean {
    return this.parts.registry.hasConfiguredAuth({ provider });
  }

  getApiKey(provider: string): Promise<string | undefined> {
    return this.parts.registry.getApiKeyForProvider(provider);
  }

  /** A key for this process that wins over all others and is not saved. */
  setRuntimeApiKey(provider: string, key: string): void {
    this.parts.keys.setOverride(provider, key);
    this.parts.registry.update();
  }

  removeRuntimeApiKey(provider: string): void {
    this.parts.keys.removeOverride(provider);
    this.parts.registry.update();
  }

  getOAuthProviders(): LoginProvider[] {
    return [...this.parts.logins.list()];
  }

  /** @throws what the provider throws, or when the tokens cannot be saved */
  async login(provider: string, callbacks: LoginCallbacks): Promise<void> {
    await this.parts.logins.login(provider, callbacks);
    this.parts.registry.update();
  }

  /** Removes the tokens of a login from auth.json. */
  async logout(provider: string): Promise<void> {
    await this.parts.auth.removeLogin(provider);
    this.parts.registry.update();
  }

  async reload(): Promise<void> {
    await this.parts.registry.reload();
  }

  /** @throws always: says where keys belong */
  set(provider: string): never {
    throw new Error(
      `Hookline does not write API keys to auth.json. To set one for "${provider}", ${this.parts.registry.keyAdvice.setKey}, or use setRuntimeApiKey for this session.`,
    );
  }
}
