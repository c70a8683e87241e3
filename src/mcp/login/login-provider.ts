import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { randomBytes } from 'node:crypto';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { learnSecret } from '../../base/text/redact';
import type { McpCredentials, McpLogin } from './mcp-auth-file';

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

/** Thrown when a server needs a login for which the user must be asked. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';
  constructor() {
    super('The server asks for a login.');
  }
}

/** How the user gets to the page where the login is allowed. */
export interface Redirecting {
  /** The URL to which the authorization server sends the browser back. */
  readonly redirectUrl: string;
  readonly open: (url: URL) => void;
}

/** The redirect URL when no user can be asked; it is never opened. */
const NOWHERE = 'http://127.0.0.1/callback';

/**
 * What the library needs to log in to one server, and how it stores the result. Without `redirecting`, the user cannot
 * be asked, and what needs the user throws {@link LoginNeeded}.
 */
export class McpLoginProvider implements OAuthClientProvider {
  /** The browser must return with this value, so that the answer to another login is not accepted. */
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
      ...defined({ scope }),
    };
  }

  state(): string {
    return this.secret;
  }

  /** The registered client; one that was registered for other redirect URLs is not used. */
  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { clientId: client_id, clientSecret: client_secret, clientRegistration } = this.parts.settings;
    if (client_id !== undefined) return { client_id, ...defined({ client_secret }) };
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

  /** The tokens. In a login that pi stored, they lack the authorization server; it is taken from `discovery`. */
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

  /** The authorization server, kept for one login only, because the MCP server may change it. */
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

/** The redirect URLs for which a client was registered; none for a client that the user configured. */
export function registeredWays(client: OAuthClientInformationMixed | undefined): readonly string[] {
  const ways: unknown = client !== undefined && 'redirect_uris' in client ? client.redirect_uris : [];
  return Array.isArray(ways) ? ways.filter(way => typeof way === 'string') : [];
}

function fitsWayBack(client: OAuthClientInformationMixed, way: string | undefined): boolean {
  const ways = registeredWays(client);
  return way === undefined || ways.length === 0 || ways.includes(way);
}

/**
 * Reads the metadata of the configured server.
 * @throws Error that names the URL when it cannot be read or has no issuer
 */
async function configuredServer(url: string): Promise<OAuthDiscoveryState> {
  const response = await fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(15_000) });
  if (!response.ok) throw new Error(`${url} answered with HTTP ${response.status}.`);
  const metadata: unknown = await response.json();
  if (!isRecord(metadata) || typeof metadata['issuer'] !== 'string') throw new Error(`${url} names no "issuer".`);
  return {
    authorizationServerUrl: metadata['issuer'],
    // It is not checked further, since the user configured it; the library reports members that it needs and lacks.
    authorizationServerMetadata: metadata as unknown as AuthorizationServerMetadata,
  };
}
