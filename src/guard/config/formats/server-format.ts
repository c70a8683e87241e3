import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../base/json/is-record';
import { isToolServer } from '../client-command';
import { JsonText } from './json-text';
import { readToml, withoutTables, type TomlTable } from './toml-text';

/** How our MCP server stands in a configuration file. All throw an Error without the file's name for a text that is none. */
export interface ServerFormat {
  /** The text, empty for a file that is missing, with exactly this entry of ours; all else stays as it is. */
  add(text: string, entry: ServerEntry): string;
  /** The text without our entry; undefined when nothing else is in it. */
  remove(text: string): string | undefined;
  /** Whether an entry of ours is there, of any guard folder. */
  has(text: string): boolean;
}

/** What an agent needs to know to start our MCP server. */
export type ServerEntry = Readonly<Record<string, string | number | readonly string[]>>;

/** The name of our server in all configurations. */
const SERVER = 'hookline';

/** Why an entry cannot be written. */
const OTHER_SERVER = 'has another MCP server with the name "hookline"; rename it first';

/** Our server as a member of an object of servers, which `path` leads to. */
export function serversInJson(...path: readonly string[]): ServerFormat {
  const place = [...path, SERVER];
  const ownIn = (json: JsonText): boolean => {
    const entry = json.value(place);
    return isRecord(entry) && isToolServer(entry['args'] ?? entry['command']);
  };
  return {
    add(text, entry) {
      const json = JsonText.parse(text.trim() === '' ? '{}\n' : text);
      const current = json.value(place);
      if (isDeepStrictEqual(current, entry)) return text;
      if (current !== undefined && !ownIn(json)) throw new Error(OTHER_SERVER);
      for (const depth of path.keys()) {
        const outer = path.slice(0, depth + 1);
        const value = json.value(outer);
        if (value !== undefined && !isRecord(value)) throw new Error(`"${outer.join('.')}" is not an object`);
      }
      return (current === undefined ? json : json.remove(place)).append(place, entry).text;
    },
    remove(text) {
      const json = JsonText.parse(text);
      const rest = ownIn(json) ? json.remove(place) : json;
      return isDeepStrictEqual(rest.value([]), {}) ? undefined : rest.text;
    },
    has: text => text.trim() !== '' && ownIn(JsonText.parse(text)),
  };
}

/** Our server as table `[mcp_servers.hookline]` of a TOML file. */
export const SERVERS_IN_TOML: ServerFormat = {
  add(text, entry) {
    const block = blockOf(entry);
    const tables = readToml(text);
    const table = tables.find(isServerTable);
    if (table !== undefined && isDeepStrictEqual(valuesOf(table), valuesOf(readToml(block)[1]))) return text;
    if (table !== undefined && !isOwnTable(table)) throw new Error(OTHER_SERVER);
    const inline = tables.find(isInlineList);
    if (table === undefined && inline !== undefined) {
      throw new Error('mcp_servers must be tables [mcp_servers.<name>], so that Hookline can add its own');
    }
    const rest = table === undefined ? text : withoutTables(text, [table]);
    return `${rest}${rest === '' ? '' : rest.endsWith('\n') ? '\n' : '\n\n'}${block}`;
  },
  remove(text) {
    const tables = readToml(text);
    if (!tables.some(isOwnTable)) return text;
    // The agent may have added tables below ours, which are nothing without it.
    const rest = withoutTables(
      text,
      tables.filter(({ path: [list, name] }) => list === 'mcp_servers' && name === SERVER),
    );
    return rest.trim() === '' ? undefined : rest;
  },
  has: text => readToml(text).some(isOwnTable),
};

function blockOf(entry: ServerEntry): string {
  const lines = Object.entries(entry).map(([name, value]) => `${name} = ${tomlValue(value)}\n`);
  return `[mcp_servers.${SERVER}]\n${lines.join('')}`;
}

function tomlValue(value: ServerEntry[string]): string {
  return typeof value === 'object' ? `[${value.map(item => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value);
}

function isServerTable({ path, isItem }: TomlTable): boolean {
  return !isItem && isDeepStrictEqual(path, ['mcp_servers', SERVER]);
}

function isOwnTable(table: TomlTable): boolean {
  return isServerTable(table) && isToolServer(table.values.find(({ path }) => path.at(-1) === 'args')?.value);
}

/** Whether a table holds servers, or ours, without a header for it. */
function isInlineList({ path: [list, more], values }: TomlTable): boolean {
  if (list === undefined) return values.some(({ path }) => path[0] === 'mcp_servers');
  return list === 'mcp_servers' && more === undefined && values.some(({ path }) => path[1] === SERVER);
}

function valuesOf(table: TomlTable | undefined): unknown {
  return table?.values.map(({ path, value }) => [path, value]);
}
