import type { Api, Model, OAuthCredentials, OAuthLoginCallbacks } from '@mariozechner/pi-ai';

/** How a login asks a user. Older callers know neither codes for other devices nor choices. */
export type LoginCallbacks = Omit<OAuthLoginCallbacks, 'onDeviceCode' | 'onSelect'> &
  Partial<Pick<OAuthLoginCallbacks, 'onDeviceCode' | 'onSelect'>>;

/** A login as `pi.registerProvider` takes one and as pi's `OAuthProviderInterface` had it (docs/models.md). */
export interface OAuthProvider {
  readonly id: string;
  readonly name: string;
  /** Lets a user log in. Resolves with the tokens to keep. */
  login(callbacks: OAuthLoginCallbacks): Promise<OAuthCredentials>;
  /** New tokens for expired ones. */
  refreshToken(credentials: OAuthCredentials, signal?: AbortSignal): Promise<OAuthCredentials>;
  /** The key that requests send. */
  getApiKey(credentials: OAuthCredentials): string;
  /** Changes the models that this login reaches, their addresses for instance. */
  modifyModels?(models: Model<Api>[], credentials: OAuthCredentials): Model<Api>[];
}
