import { join, resolve } from 'node:path';
import { homedir } from 'node:os';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ConfigValues } from '../../agent/models/keys/config-value';
import type { FolderVariables } from '../../agent/tools/shell/process';
import { defined } from '../../base/defined';
import {
  learnSecret,
  learnSecretHeaders,
  learnSecretsNamed,
  learnSecretValues,
  learnSecretsOfAddress,
} from '../../base/text/redact';
import type { McpServerEntry } from '../config/read-config';
import { isStdio, usesOAuth } from '../config/server-config';
import { loginKey, type McpCredentials } from '../login/mcp-auth-file';
import { McpLoginProvider, type LoginSettings } from '../login/login-provider';
import { limitedFetch, type FetchLike } from './limited-fetch';
import { StdioTransport } from './stdio-transport';

/** What the connections of all servers share. */
export interface TransportParts {
  /** The folder in which servers are started, absolute. */
  readonly cwd: string;
  readonly variables?: FolderVariables | undefined;
  readonly values: ConfigValues;
  readonly credentials: McpCredentials;
  /** The token of the user's login to a provider of models; undefined if there is none. */
  readonly providerToken: (provider: string) => Promise<string | undefined>;
}

/** What a server said about the login when it refused a request without one. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

/** The functions that a new connection calls. */
export interface TransportSinks {
  readonly onStderr: (text: string) => void;
  readonly onChallenge: (challenge: Challenge) => void;
}

/**
 * Makes the transport to a server; it is not started yet.
 * @throws Error that names the value of the configuration that cannot be resolved
 */
export async function openTransport(
  entry: McpServerEntry,
  parts: TransportParts,
  sinks: TransportSinks,
): Promise<Transport> {
  const { config, scope } = entry;
  if (isStdio(config)) {
    const expand = scope === 'client' ? (text: string): string => text : expandHome;
    const spec = {
      command: expand(config.command),
      args: (config.args ?? []).map(expand),
      cwd: resolve(parts.cwd, expandHome(config.cwd ?? '.')),
      env: await resolved(config.env, 'env', entry, parts.values),
    };
    if (scope === 'client') learnSecretValues(spec.env);
    else learnSecretsNamed(spec.env);
    return new StdioTransport({ ...spec, env: { ...parts.variables?.(), ...spec.env } }, sinks.onStderr);
  }
  const { StreamableHTTPClientTransport, extractWWWAuthenticateParams } = await import('./sdk');
  const headers = await resolved(config.headers, 'headers', entry, parts.values);
  learnSecretHeaders(headers);
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
    ...defined({ authProvider }),
  });
}

/**
 * The `oauth` settings of a server with their values resolved.
 * @throws Error that names the value that cannot be resolved
 */
export async function loginSettings(
  { name, config, source }: McpServerEntry,
  values: ConfigValues,
): Promise<LoginSettings> {
  if (isStdio(config) || config.oauth === undefined) return {};
  // The type was checked when the configuration was read.
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
  { name, source, scope }: McpServerEntry,
  values: ConfigValues,
): Promise<Record<string, string>> {
  if (scope === 'client') return { ...given };
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

/** Replaces `~` alone or at the start of `~/…` by the home folder; any other text is returned unchanged. */
function expandHome(text: string): string {
  if (text === '~') return homedir();
  return text.startsWith('~/') ? join(homedir(), text.slice(2)) : text;
}
