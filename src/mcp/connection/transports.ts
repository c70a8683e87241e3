import { join, resolve } from 'node:path';
import { homedir } from 'node:os';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ConfigValues } from '../../agent/models/keys/config-value';
import { learnSecret, learnSecretsNamed, learnSecretsOfAddress } from '../../base/text/redact';
import type { McpServerEntry } from '../config/read-config';
import { isStdio, usesOAuth } from '../config/server-config';
import { loginKey, type McpCredentials } from '../login/credentials';
import { McpLoginProvider, type LoginSettings } from '../login/login-provider';
import { limitedFetch, type FetchLike } from './limited-fetch';
import { StdioTransport } from './stdio-transport';

/** What connections of all servers share. */
export interface TransportParts {
  /** Absolute; where servers are started. */
  readonly cwd: string;
  readonly values: ConfigValues;
  readonly credentials: McpCredentials;
  /** The token of a login to a provider of models; undefined: there is none. */
  readonly providerToken: (provider: string) => Promise<string | undefined>;
}

/** What a server said when it refused for want of a login. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

/** What a new connection tells of on the way. */
export interface TransportSinks {
  readonly onStderr: (text: string) => void;
  readonly onChallenge: (challenge: Challenge) => void;
}

/**
 * The way to a server, not opened yet.
 * @throws Error naming the value of the configuration that cannot be had
 */
export async function openTransport(
  entry: McpServerEntry,
  parts: TransportParts,
  sinks: TransportSinks,
): Promise<Transport> {
  const { config } = entry;
  if (isStdio(config)) {
    const spec = {
      command: expandHome(config.command),
      args: (config.args ?? []).map(expandHome),
      cwd: resolve(parts.cwd, expandHome(config.cwd ?? '.')),
      env: await resolved(config.env, 'env', entry, parts.values),
    };
    learnSecretsNamed(spec.env);
    return new StdioTransport(spec, sinks.onStderr);
  }
  const { StreamableHTTPClientTransport, extractWWWAuthenticateParams } = await import('./sdk');
  const headers = await resolved(config.headers, 'headers', entry, parts.values);
  learnSecretsNamed(headers);
  learnSecretsOfAddress(config.url);
  const noted: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    if (response.status === 401 || response.status === 403) sinks.onChallenge(extractWWWAuthenticateParams(response));
    return response;
  };
  const provider = config.auth?.provider;
  const base = provider === undefined ? noted : withToken(noted, () => parts.providerToken(provider));
  const authProvider = usesOAuth(config)
    ? new McpLoginProvider({
        url: config.url,
        key: loginKey(entry.name, config.url),
        settings: await loginSettings(entry, parts.values),
        credentials: parts.credentials,
      })
    : undefined;
  return new StreamableHTTPClientTransport(new URL(config.url), {
    fetch: limitedFetch(base),
    requestInit: { headers },
    ...(authProvider === undefined ? {} : { authProvider }),
  });
}

/**
 * `oauth` of a server with its values resolved.
 * @throws Error naming the value that cannot be had
 */
export async function loginSettings(
  { name, config, source }: McpServerEntry,
  values: ConfigValues,
): Promise<LoginSettings> {
  if (isStdio(config) || config.oauth === undefined) return {};
  // Checked when the configuration was read.
  const settings = config.oauth as LoginSettings;
  if (settings.clientSecret === undefined) return settings;
  const place = `MCP server "${name}", oauth.clientSecret`;
  const clientSecret = await valueOf(settings.clientSecret, place, source, values);
  learnSecret(clientSecret);
  return { ...settings, clientSecret };
}

async function resolved(
  given: Readonly<Record<string, string>> | undefined,
  member: string,
  { name, source }: McpServerEntry,
  values: ConfigValues,
): Promise<Record<string, string>> {
  const pairs = Object.entries(given ?? {}).map(async ([key, text]): Promise<[string, string]> => {
    return [key, await valueOf(text, `MCP server "${name}", ${member} "${key}"`, source, values)];
  });
  return Object.fromEntries(await Promise.all(pairs));
}

async function valueOf(text: string, place: string, file: string, values: ConfigValues): Promise<string> {
  const result = await values.resolve({ text, place, file });
  if (result.ok) return result.value;
  throw new Error(result.problems.map(({ message }) => message).join(' '));
}

function withToken(base: FetchLike, token: () => Promise<string | undefined>): FetchLike {
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    const value = await token();
    if (value !== undefined) headers.set('authorization', `Bearer ${value}`);
    return base(url, { ...init, headers });
  };
}

/** `~` and what begins with `~/` name the home folder; everything else is meant as it stands. */
function expandHome(text: string): string {
  if (text === '~') return homedir();
  return text.startsWith('~/') ? join(homedir(), text.slice(2)) : text;
}
