import { isRecord } from '../../base/json/is-record';
import { isOnThisMachine } from '../../base/loopback';
import type { McpHttpServerConfig, McpServerConfig, McpStdioServerConfig } from '../../hook-typings/registered/mcp';

/** What is wrong with a server's configuration. `message` follows its name; `at` leads to the member that is wrong. */
export interface ConfigFault {
  readonly message: string;
  readonly at: readonly string[];
}

/** A valid configuration, or what is wrong with it. */
export type CheckedConfig =
  { readonly ok: true; readonly config: McpServerConfig } | { readonly ok: false; readonly fault: ConfigFault };

/** How a member is checked, and the words for what it must be. */
interface MemberRule {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
}

const EXPOSURES: readonly unknown[] = ['codemode', 'deferred', 'direct', 'hidden'];
const EXPOSURE_NAMES = '"codemode", "deferred", "direct" or "hidden"';
/** An older name of `codemode` that pi still accepts. */
const EXPOSURE_ALIAS = 'codemode-deferred';

const TEXT: MemberRule = { fits: value => typeof value === 'string', expected: 'a text' };
const TEXTS: MemberRule = {
  fits: value => isRecord(value) && Object.values(value).every(each => typeof each === 'string'),
  expected: 'an object of texts',
};
const SOME_TEXT: MemberRule = {
  fits: value => typeof value === 'string' && value.trim() !== '',
  expected: 'a text that is not empty',
};

const COMMON: Readonly<Record<string, MemberRule>> = {
  timeout: {
    fits: value => typeof value === 'number' && Number.isFinite(value) && value > 0,
    expected: 'a number of seconds above 0',
  },
  enabled: { fits: value => typeof value === 'boolean', expected: 'true or false' },
  description: TEXT,
  exposure: { fits: value => EXPOSURES.includes(value), expected: EXPOSURE_NAMES },
};

const STDIO: Readonly<Record<string, MemberRule>> = {
  command: SOME_TEXT,
  args: {
    fits: value => Array.isArray(value) && value.every(each => typeof each === 'string'),
    expected: 'a list of texts',
  },
  env: TEXTS,
  cwd: TEXT,
};

const HTTP: Readonly<Record<string, MemberRule>> = {
  url: { fits: value => isAddress(value, ['http:', 'https:']), expected: 'an http or https address' },
  headers: TEXTS,
};

const OAUTH: Readonly<Record<string, MemberRule>> = {
  clientId: SOME_TEXT,
  clientSecret: SOME_TEXT,
  callbackPort: {
    fits: value => typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536,
    expected: 'a port',
  },
  callbackUrl: {
    fits: value => isAddress(value, ['http:']) && isOnThisMachine(String(value)),
    expected: 'an http address on localhost, 127.0.0.1 or [::1]',
  },
  scope: TEXT,
  clientName: SOME_TEXT,
  clientRegistration: {
    fits: value => value === 'auto' || value === 'dcr' || value === 'cimd',
    expected: '"auto", "dcr" or "cimd"',
  },
  authServerMetadataUrl: {
    fits: value => isAddress(value, ['https:']) || (isAddress(value, ['http:']) && isOnThisMachine(String(value))),
    expected: 'an https address, or an http address on localhost, 127.0.0.1 or [::1]',
  },
};

/** The prefix of a server's tool names; they have no `-`, so names that differ only in `-` and `_` clash. */
export function namespaceOf(server: string): string {
  return `mcp__${server.replaceAll('-', '_')}`;
}

/** Whether an entry changes an entry of the same name in the user's file, instead of replacing it. */
export function isOverride(entry: Readonly<Record<string, unknown>>): boolean {
  return entry['command'] === undefined && entry['url'] === undefined && entry['type'] === undefined;
}

/** Whether a server is started as a program. */
export function isStdio(config: McpServerConfig): config is McpStdioServerConfig {
  return 'command' in config;
}

/** Whether a server uses OAuth: an HTTP server without an `Authorization` header and without a provider's login. */
export function usesOAuth(config: McpServerConfig): config is McpHttpServerConfig {
  if (isStdio(config) || config.auth !== undefined) return false;
  return !Object.keys(config.headers ?? {}).some(name => name.toLowerCase() === 'authorization');
}

/** The text by which a user recognizes a server: its URL or its command line. */
export function addressOf(config: McpServerConfig): string {
  return isStdio(config) ? [config.command, ...(config.args ?? [])].join(' ') : config.url;
}

/**
 * Checks an entry of `mcpServers`. Unknown members are kept. If a known member is invalid, the whole entry is, since
 * using only a part of it could do something that the user does not want.
 */
export function checkServerConfig(name: string, raw: unknown): CheckedConfig {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return faulty('its name may have letters, digits, "_" and "-" only');
  if (!isRecord(raw)) return faulty('must be an object');
  const given = inTodaysWords(raw);
  const kind = kindOf(given);
  if ('message' in kind) return { ok: false, fault: kind };
  const fault =
    misfit(given, kind.isStdio ? STDIO : HTTP) ??
    misfit(given, COMMON) ??
    toolExposureFault(given['toolExposure']) ??
    (kind.isStdio ? undefined : (oauthFault(given['oauth']) ?? authFault(given)));
  // All members of the type were checked above.
  return fault === undefined ? { ok: true, config: given as unknown as McpServerConfig } : { ok: false, fault };
}

function kindOf({
  type,
  command,
  url,
}: Readonly<Record<string, unknown>>): ConfigFault | { readonly isStdio: boolean } {
  if (type === 'sse') {
    return {
      message: '"type": "sse" is not supported. Use streamable HTTP, which such servers often offer at "/mcp"',
      at: ['type'],
    };
  }
  if (type !== undefined && type !== 'stdio' && type !== 'http' && type !== 'streamable-http') {
    return { message: '"type" must be "stdio", "http" or "streamable-http"', at: ['type'] };
  }
  if (command !== undefined && url !== undefined) {
    return { message: 'has "command" and "url"; it can have only one of them', at: ['url'] };
  }
  if (command === undefined && url === undefined) return { message: 'needs "command" or "url"', at: [] };
  const isStdio = command !== undefined;
  if (type !== undefined && isStdio !== (type === 'stdio')) {
    return { message: `"type": "${type}" does not go with "${isStdio ? 'command' : 'url'}"`, at: ['type'] };
  }
  return { isStdio };
}

function misfit(
  given: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, MemberRule>>,
  below: readonly string[] = [],
): ConfigFault | undefined {
  for (const [name, { fits, expected }] of Object.entries(rules)) {
    if (given[name] === undefined || fits(given[name])) continue;
    const at = [...below, name];
    return { message: `"${at.join('.')}" must be ${expected}`, at };
  }
  return undefined;
}

function toolExposureFault(value: unknown): ConfigFault | undefined {
  if (value === undefined) return undefined;
  const at = ['toolExposure'];
  if (!isRecord(value)) return { message: '"toolExposure" must be an object', at };
  const wrong = Object.entries(value).find(([, exposure]) => !EXPOSURES.includes(exposure));
  if (wrong === undefined) return undefined;
  return { message: `"toolExposure" of "${wrong[0]}" must be ${EXPOSURE_NAMES}`, at: [...at, wrong[0]] };
}

function oauthFault(value: unknown): ConfigFault | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return { message: '"oauth" must be an object', at: ['oauth'] };
  const wrong = misfit(value, OAUTH, ['oauth']);
  if (wrong !== undefined) return wrong;
  if (value['clientRegistration'] !== 'cimd') return undefined;
  const clash = ['clientId', 'clientName'].find(name => value[name] !== undefined);
  if (clash === undefined) return undefined;
  return { message: `"oauth.${clash}" does not go with "clientRegistration": "cimd"`, at: ['oauth', clash] };
}

function authFault({ auth, url }: Readonly<Record<string, unknown>>): ConfigFault | undefined {
  if (auth === undefined) return undefined;
  if (!isRecord(auth) || typeof auth['provider'] !== 'string' || auth['provider'] === '') {
    return { message: '"auth.provider" must name a provider', at: ['auth'] };
  }
  const address = new URL(String(url));
  if (address.protocol === 'https:' || isOnThisMachine(address)) return undefined;
  return { message: '"auth" needs an https address, or one on localhost, 127.0.0.1 or [::1]', at: ['auth'] };
}

function isAddress(value: unknown, protocols: readonly string[]): boolean {
  return typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

function inTodaysWords(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const today = (value: unknown): unknown => (value === EXPOSURE_ALIAS ? 'codemode' : value);
  const { exposure, toolExposure } = raw;
  return {
    ...raw,
    ...(exposure === undefined ? {} : { exposure: today(exposure) }),
    ...(isRecord(toolExposure)
      ? { toolExposure: Object.fromEntries(Object.entries(toolExposure).map(([tool, each]) => [tool, today(each)])) }
      : {}),
  };
}

function faulty(message: string): CheckedConfig {
  return { ok: false, fault: { message, at: [] } };
}
