import type { ModelAuth, OAuthCredentials, OAuthLoginCallbacks, Provider } from '@mariozechner/pi-ai';
import { messageOf } from '../../../base/errors';
import type { AuthFile } from './auth-file';
import { builtInLogins, loginOf, type BuiltInLogin } from './built-in-logins';
import type { KeyAdvice } from './missing-key';
import type { LoginCallbacks, OAuthProvider } from './oauth-provider';
import type { ProviderRegistration } from '../provider-config';

/** A login that can be offered to a user. */
export interface LoginProvider {
  readonly id: string;
  readonly name: string;
}

/** Tokens are renewed this long before they expire, so that they last for the request. */
const MARGIN_MS = 60_000;

/** Logins of pi-ai and of registered providers, with their tokens in auth.json. */
export class OAuthLogins {
  private builtIn: readonly BuiltInLogin[] = [];
  private registered = new Map<string, OAuthProvider>();
  private readonly renewals = new Map<string, Promise<ModelAuth | undefined>>();

  private readonly now: () => number;

  constructor(
    private readonly file: AuthFile,
    private readonly options: { readonly advice: KeyAdvice; readonly now?: () => number },
  ) {
    this.now = options.now ?? Date.now;
  }

  /** Loads pi-ai's own logins. */
  async load(): Promise<void> {
    this.builtIn = await builtInLogins();
  }

  /** Replaces the logins that registered providers brought. */
  setRegistered(registrations: readonly ProviderRegistration[], providers: readonly Provider[] = []): void {
    this.registered = new Map();
    for (const { id, auth } of providers) {
      if (auth.oauth !== undefined) this.registered.set(id, loginOf(id, auth.oauth));
    }
    for (const { name, config } of registrations) {
      if (config.oauth !== undefined) this.registered.set(name, { ...config.oauth, id: name });
    }
  }

  find(provider: string): OAuthProvider | BuiltInLogin | undefined {
    return this.registered.get(provider) ?? this.builtIn.find(({ id }) => id === provider);
  }

  list(): readonly OAuthProvider[] {
    const own = [...this.registered.values()];
    return [...own, ...this.builtIn.filter(({ id }) => !this.registered.has(id))];
  }

  /**
   * Lets a user log in and saves the tokens. An aborted login saves nothing, even if its provider continues.
   * @throws what the provider throws, or when the tokens cannot be saved
   */
  async login(provider: string, callbacks: LoginCallbacks): Promise<void> {
    const login = this.find(provider);
    if (login === undefined) throw new Error(`Provider "${provider}" has no login.`);
    const tokens = await login.login(complete(callbacks));
    callbacks.signal?.throwIfAborted();
    await this.file.saveLogin(provider, tokens);
  }

  /**
   * The key of a login in auth.json, and the address that it is for; renewed if it has expired. Undefined if there is
   * no login.
   * @throws Error for people, if the renewal fails
   */
  auth(provider: string): Promise<ModelAuth | undefined> {
    const entry = this.file.get(provider);
    if (entry?.type !== 'oauth') return Promise.resolve(undefined);
    const running = this.renewals.get(provider);
    if (running !== undefined) return running;
    const renewal = this.authOf(provider, entry).finally(() => {
      this.renewals.delete(provider);
    });
    this.renewals.set(provider, renewal);
    return renewal;
  }

  private async authOf(provider: string, entry: OAuthCredentials): Promise<ModelAuth | undefined> {
    const login = this.find(provider);
    if (login === undefined) {
      throw new Error(`auth.json has a login for "${provider}", but no known provider can use it.`);
    }
    const isFresh = (tokens: OAuthCredentials): boolean => this.now() < tokens.expires - MARGIN_MS;
    if (isFresh(entry)) return await authFrom(login, entry);
    try {
      const renewed = await this.file.renewLogin(provider, isFresh, (tokens, signal) =>
        login.refreshToken(tokens, signal),
      );
      return renewed === undefined ? undefined : await authFrom(login, renewed);
    } catch (error) {
      if (this.now() < entry.expires) return await authFrom(login, entry);
      const text = `The login for "${provider}" has expired and could not be renewed (${messageOf(error)}). To log in again, ${this.options.advice.logIn}.`;
      throw new Error(text, { cause: error });
    }
  }
}

/** Where a callback is missing, a code is shown with its address, and the first choice is taken. */
function complete(callbacks: LoginCallbacks): OAuthLoginCallbacks {
  return {
    onDeviceCode: ({ verificationUri, userCode }) =>
      callbacks.onAuth({ url: verificationUri, instructions: `Enter code: ${userCode}` }),
    onSelect: ({ options }) => Promise.resolve(options[0]?.id),
    ...callbacks,
  };
}

async function authFrom(login: OAuthProvider | BuiltInLogin, tokens: OAuthCredentials): Promise<ModelAuth> {
  return 'toAuth' in login ? login.toAuth(tokens) : { apiKey: login.getApiKey(tokens) };
}
