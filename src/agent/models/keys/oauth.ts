import type { OAuthCredentials, OAuthLoginCallbacks, OAuthProviderInterface } from '@mariozechner/pi-ai';
import { messageOf } from '../../../base/errors';
import type { AuthFile } from './auth-file';
import type { KeyAdvice } from './missing-key';
import type { ProviderRegistration } from '../provider-config';

/** A login that can be offered to a person. */
export interface LoginProvider {
  readonly id: string;
  readonly name: string;
}

/** Tokens are renewed this long before they expire, so that they last for the request. */
const MARGIN_MS = 60_000;

/** Logins of pi-ai and of registered providers, with their tokens in auth.json. */
export class OAuthLogins {
  private builtIn: readonly OAuthProviderInterface[] = [];
  private registered = new Map<string, OAuthProviderInterface>();
  private readonly renewals = new Map<string, Promise<string | undefined>>();

  private readonly now: () => number;

  constructor(
    private readonly file: AuthFile,
    private readonly options: { readonly advice: KeyAdvice; readonly now?: () => number },
  ) {
    this.now = options.now ?? Date.now;
  }

  /** Loads pi-ai's own logins. */
  async load(): Promise<void> {
    this.builtIn = (await import('@mariozechner/pi-ai/oauth')).getOAuthProviders();
  }

  /** Replaces the logins that registered providers brought. */
  setRegistered(registrations: readonly ProviderRegistration[]): void {
    this.registered = new Map();
    for (const { name, config } of registrations) {
      if (config.oauth !== undefined) this.registered.set(name, { ...config.oauth, id: name });
    }
  }

  find(provider: string): OAuthProviderInterface | undefined {
    return this.registered.get(provider) ?? this.builtIn.find(({ id }) => id === provider);
  }

  list(): readonly OAuthProviderInterface[] {
    const own = [...this.registered.values()];
    return [...own, ...this.builtIn.filter(({ id }) => !this.registered.has(id))];
  }

  /**
   * Lets a person log in and saves the tokens; a login that was aborted leaves nothing, even if its provider goes on.
   * @throws what the provider throws, or when they cannot be saved
   */
  async login(provider: string, callbacks: OAuthLoginCallbacks): Promise<void> {
    const login = this.find(provider);
    if (login === undefined) throw new Error(`Provider "${provider}" has no login.`);
    const tokens = await login.login(callbacks);
    callbacks.signal?.throwIfAborted();
    await this.file.saveLogin(provider, tokens);
  }

  /**
   * The key that a login in auth.json gives, renewed when it has expired; undefined when there is no login.
   * @throws Error for people, when the renewal fails
   */
  key(provider: string): Promise<string | undefined> {
    const entry = this.file.get(provider);
    if (entry?.type !== 'oauth') return Promise.resolve(undefined);
    const running = this.renewals.get(provider);
    if (running !== undefined) return running;
    const renewal = this.keyOf(provider, entry).finally(() => {
      this.renewals.delete(provider);
    });
    this.renewals.set(provider, renewal);
    return renewal;
  }

  private async keyOf(provider: string, entry: OAuthCredentials): Promise<string | undefined> {
    const login = this.find(provider);
    if (login === undefined) {
      throw new Error(`auth.json has a login for "${provider}", but nothing here knows how to use it.`);
    }
    const isFresh = (tokens: OAuthCredentials): boolean => this.now() < tokens.expires - MARGIN_MS;
    if (isFresh(entry)) return login.getApiKey(entry);
    try {
      const renewed = await this.file.renewLogin(provider, isFresh, tokens => login.refreshToken(tokens));
      return renewed === undefined ? undefined : login.getApiKey(renewed);
    } catch (error) {
      if (this.now() < entry.expires) return login.getApiKey(entry);
      const text = `The login for "${provider}" has expired and could not be renewed (${messageOf(error)}). To log in again, ${this.options.advice.logIn}.`;
      throw new Error(text, { cause: error });
    }
  }
}
