import { isRecord } from '../../base/json/is-record';
import type { McpServerEntry } from './read-config';
import { checkServerConfig, namespaceOf } from './server-config';

/** What {@link McpServerEntry.source} is for the servers of a client. */
const SOURCE = 'client';

/**
 * The servers that a client gives for one conversation, as the Agent Client Protocol writes them: a program with
 * `command`, `args` and a list `env`, or with `"type": "http"` a `url` and a list `headers`. Their values are literal.
 * Characters that names of tools cannot have become `_` in the name of the server. Unknown members are ignored.
 * @throws Error that names the member that is wrong, such as `mcpServers[0]: "url" must be an http or https address`
 */
export function clientServers(list: readonly unknown[]): readonly McpServerEntry[] {
  const entries = list.map((given, index) => entryOf(given, `mcpServers[${index}]`));
  for (const [index, { name }] of entries.entries()) {
    const other = entries.findIndex(each => namespaceOf(each.name) === namespaceOf(name));
    if (other < index) throw new Error(`mcpServers[${index}].name gives tools the same names as mcpServers[${other}]`);
  }
  return entries;
}

function entryOf(given: unknown, at: string): McpServerEntry {
  if (!isRecord(given)) throw new Error(`${at} must be an object`);
  const { type = 'stdio', name: givenName, command, args, env, url, headers } = given;
  if (type !== 'stdio' && type !== 'http') {
    throw new Error(`${at}.type: ${JSON.stringify(type)} is not supported; use "http", or a program with "command"`);
  }
  if (typeof givenName !== 'string' || givenName.trim() === '') {
    throw new Error(`${at}.name must be a text that is not empty`);
  }
  const name = givenName.trim().replaceAll(/[^A-Za-z0-9_-]/g, '_');
  const raw =
    type === 'http'
      ? { type, url: url ?? '', headers: byName(headers, `${at}.headers`) }
      : { command: command ?? '', args: args ?? [], env: byName(env, `${at}.env`) };
  const checked = checkServerConfig(name, raw);
  if (!checked.ok) throw new Error(`${at}: ${checked.fault.message}`);
  return { name, config: checked.config, source: SOURCE, scope: 'client' };
}

/** The values of a list of `{ name, value }`. */
function byName(list: unknown, at: string): Readonly<Record<string, string>> {
  if (list === undefined || list === null) return {};
  if (!Array.isArray(list)) throw new Error(`${at} must be a list`);
  const pairs = list.map((each: unknown, index): [string, string] => {
    const { name, value } = isRecord(each) ? each : {};
    if (typeof name !== 'string' || name === '') {
      throw new Error(`${at}[${index}].name must be a text that is not empty`);
    }
    if (typeof value !== 'string') throw new Error(`${at}[${index}].value must be a text`);
    // The system's error would show the value, which is a secret.
    if (value.includes('\0')) throw new Error(`${at}[${index}].value must not contain a null character`);
    return [name, value];
  });
  return Object.fromEntries(pairs);
}
