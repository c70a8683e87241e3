import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { parseJson } from '../../base/json/parse-json';
import { replaceLocked, withFileLock } from '../../agent/models/keys/file-lock';
import { errorCode } from '../../agent/tools/result';
import { namespaceOf } from '../config/server-config';

/** The stored login to a server, in pi's format; unknown members are kept. */
export interface McpLogin {
  readonly serverUrl?: string;
  readonly clientInformation?: OAuthClientInformationMixed;
  readonly tokens?: OAuthTokens;
  /** ms since 1970. */
  readonly tokensExpireAt?: number;
  readonly codeVerifier?: string;
  readonly discovery?: { readonly authorizationServerUrl?: string };
}

/**
 * Where logins are stored: in a file on the command line, in VS Code's secrets in a window. `key` comes from
 * {@link loginKey}. All methods reject when the store cannot be read or written.
 */
export interface McpCredentials {
  load(key: string): Promise<McpLogin | undefined>;
  /** Changes the login under a key while no other process changes it; if `change` returns undefined, it is removed. */
  update(key: string, change: (login: McpLogin | undefined) => McpLogin | undefined): Promise<void>;
}

/**
 * The key of a server's login. It contains name and URL, so that two servers with one URL can have different accounts.
 */
export function loginKey(server: string, url: string): string {
  return `${namespaceOf(server)}|${new URL(url).href}`;
}

/** Logins in `mcp-auth.json` of the agent folder, which pi reads and writes, too. */
export class McpAuthFile implements McpCredentials {
  /** `path` is absolute. */
  constructor(private readonly path: string) {}

  async load(key: string): Promise<McpLogin | undefined> {
    return loginIn(await this.read(), key);
  }

  async update(key: string, change: (login: McpLogin | undefined) => McpLogin | undefined): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await withFileLock(this.path, async () => {
      const logins = await this.read();
      const changed = change(loginIn(logins, key));
      const others = Object.entries(logins).filter(([other]) => other !== key && other !== addressIn(key));
      const next = { ...Object.fromEntries(others), ...defined({ [key]: changed }) };
      await replaceLocked(this.path, `${JSON.stringify(next, null, 2)}\n`);
    });
  }

  private async read(): Promise<Readonly<Record<string, unknown>>> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return {};
      throw new Error(`${this.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
    if (text.trim() === '') return {};
    try {
      const logins: unknown = parseJson(text);
      if (isRecord(logins)) return logins;
    } catch (error) {
      throw new Error(`${this.path} is not JSON: ${messageOf(error)}`, { cause: error });
    }
    throw new Error(`${this.path} does not hold a JSON object.`);
  }
}

/** Older versions of pi stored logins under the URL alone; such a login is used for the first server that asks. */
function loginIn(logins: Readonly<Record<string, unknown>>, key: string): McpLogin | undefined {
  const login = logins[key] ?? logins[addressIn(key)];
  return isRecord(login) ? login : undefined;
}

function addressIn(key: string): string {
  return key.slice(key.indexOf('|') + 1);
}
