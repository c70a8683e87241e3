import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { randomBytes } from 'node:crypto';
import { isRecord } from '../../base/json/is-record';
import { learnSecret } from '../../base/text/redact';
import type { McpCredentials, McpLogin } from './credentials';

/** `oauth` of a server's configuration, with its values resolved. */
export interface LoginSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly callbackPort?: number;
  readonly callbackUrl?: string;
  readonly scope?: string;
  readonly clientName?: string;
  readonly clientRegistration?: 'auto' | 'dcr' | 'cimd';
  readonly authServerMetadataUrl?: string;
}

/** A server wants a login that only a user can give. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';
  constructor() {
    super('The server asks for a login.');
  }
}

/** How a user is led to the page where they allow it; absent: nobody is there, and what needs one is refused. */
export interface Redirecting {
  /** Where the authorization server sends the browser back to. */
  readonly redirectUrl: string;
  readonly open: (url: URL) => void;
}

/** Where to go back to in requests that lead nowhere, as nobody is there. */
const NOWHERE = 'http://127.0.0.1/callback';

/** What the library needs to know to log in to one server, and where it keeps the result. */
export class McpLoginProvider implements OAuthClientProvider {
  /** Comes back with the browser, so that an answer to another question is not taken. */
  private readonly secret = randomBytes(16).toString('base64url');
  private found: OAuthDiscoveryState | undefined;

  constructor(
    private readonly parts: {
      readonly url: string;
      readonly key: string;
      readonly settings: LoginSettings;
      readonly credentials: McpCredentials;
      readonly redirecting?: Redirecting;
    },
  ) {}

  get redirectUrl(): string {
    return this.parts.redirecting?.redirectUrl ?? NOWHERE;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientName, clientSecret, scope } = this.parts.settings;
    return {
      client_name: clientName ?? 'Hookline',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    return this.secret;
  }

  /** A client that was registered for another way back is not used for this one. */
  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { clientId: client_id, clientSecret: client_secret, clientRegistration } = this.parts.settings;
    if (client_id !== undefined) return { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
    const known = (await this.load())?.clientInformation;
    const isFitting = known !== undefined && fitsWayBack(known, this.parts.redirecting?.redirectUrl);
    if (isFitting) return known;
    if (this.parts.redirecting === undefined) throw new LoginNeeded();
    if (clientRegistration === 'cimd') {
      throw new Error(
        '"clientRegistration": "cimd" needs a document that is published for pi; set "dcr" or "clientId".',
      );
    }
    return undefined;
  }

  async saveClientInformation(clientInformation: OAuthClientInformationMixed): Promise<void> {
    if (this.parts.settings.clientId === undefined) await this.save({ clientInformation });
  }

  /** What pi kept does not say which authorization server gave it; what it found out about that does. */
  async tokens(): Promise<OAuthTokens | undefined> {
    const login = await this.load();
    if (login?.tokens !== undefined) learnTokens(login.tokens);
    if (login?.tokens === undefined || login.tokens.issuer !== undefined) return login?.tokens;
    const issuer = login.discovery?.authorizationServerUrl;
    return issuer === undefined ? login.tokens : { ...login.tokens, issuer };
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    learnTokens(tokens);
    const { expires_in: seconds } = tokens;
    await this.save({ tokens, tokensExpireAt: seconds === undefined ? undefined : Date.now() + seconds * 1000 });
  }

  redirectToAuthorization(url: URL): void {
    if (this.parts.redirecting === undefined) throw new LoginNeeded();
    this.parts.redirecting.open(url);
  }

  async saveCodeVerifier(codeVerifier: string): Promise<void> {
    if (this.parts.redirecting === undefined) throw new LoginNeeded();
    await this.save({ codeVerifier });
  }

  async codeVerifier(): Promise<string> {
    const verifier = (await this.load())?.codeVerifier;
    if (verifier === undefined) throw new Error('The login was begun elsewhere.');
    return verifier;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'discovery' || scope === 'all') this.found = undefined;
    const gone = {
      ...(scope === 'client' || scope === 'all' ? { clientInformation: undefined } : {}),
      ...(scope === 'tokens' || scope === 'all' ? { tokens: undefined, tokensExpireAt: undefined } : {}),
      ...(scope === 'verifier' || scope === 'all' ? { codeVerifier: undefined } : {}),
    };
    await this.save(gone);
  }

  async saveDiscoveryState(found: OAuthDiscoveryState): Promise<void> {
    this.found = found;
    await this.save({ discovery: found });
  }

  /** Kept for one login only, as a server may change whom it trusts. */
  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    const { authServerMetadataUrl } = this.parts.settings;
    if (this.found === undefined && authServerMetadataUrl !== undefined) {
      this.found = await configuredServer(authServerMetadataUrl);
    }
    return this.found;
  }

  private async load(): Promise<McpLogin | undefined> {
    const login = await this.parts.credentials.load(this.parts.key);
    return login?.serverUrl === undefined || login.serverUrl === this.parts.url ? login : undefined;
  }

  private async save(members: { readonly [K in keyof McpLogin]: McpLogin[K] | undefined }): Promise<void> {
    const { key, url: serverUrl } = this.parts;
    await this.parts.credentials.update(key, before => ({ ...before, ...members, serverUrl }));
  }
}

function learnTokens({ access_token: access, refresh_token: refresh }: OAuthTokens): void {
  learnSecret(access);
  learnSecret(refresh);
}

/** The ways back that a client was registered for; none when it was configured by hand. */
export function registeredWays(client: OAuthClientInformationMixed | undefined): readonly string[] {
  const ways: unknown = client !== undefined && 'redirect_uris' in client ? client.redirect_uris : [];
  return Array.isArray(ways) ? ways.filter(way => typeof way === 'string') : [];
}

function fitsWayBack(client: OAuthClientInformationMixed, way: string | undefined): boolean {
  const ways = registeredWays(client);
  return way === undefined || ways.length === 0 || ways.includes(way);
}

/** @throws Error naming the document when it cannot be read or names no issuer */
async function configuredServer(url: string): Promise<OAuthDiscoveryState> {
  const response = await fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(15_000) });
  if (!response.ok) throw new Error(`${url} answered with HTTP ${response.status}.`);
  const metadata: unknown = await response.json();
  if (!isRecord(metadata) || typeof metadata['issuer'] !== 'string') throw new Error(`${url} names no "issuer".`);
  return {
    authorizationServerUrl: metadata['issuer'],
    // Trusted as it is configured; what is missing in it shows where it is needed.
    authorizationServerMetadata: metadata as unknown as AuthorizationServerMetadata,
  };
}
