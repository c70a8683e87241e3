import type { OAuthCredentials } from '@mariozechner/pi-ai';
import type { OAuthProviderInterface } from '../registered/provider';

export type * from '@mariozechner/pi-ai/oauth';
export type { OAuthProviderInterface };

/** The login of a provider that has one; `undefined` otherwise. */
export declare function getOAuthProvider(id: string): OAuthProviderInterface | undefined;
export declare function getOAuthProviders(): OAuthProviderInterface[];
/** Adds a login to those that this module lists; `pi.registerProvider` offers one to people. */
export declare function registerOAuthProvider(provider: OAuthProviderInterface): void;
export declare function unregisterOAuthProvider(id: string): void;
export declare function resetOAuthProviders(): void;
export declare function refreshOAuthToken(id: string, credentials: OAuthCredentials): Promise<OAuthCredentials>;
/** The key that saved tokens give, renewed if they have expired; `null` where there are none. */
export declare function getOAuthApiKey(
  id: string,
  credentials: Record<string, OAuthCredentials>,
): Promise<{ newCredentials: OAuthCredentials; apiKey: string } | null>;
