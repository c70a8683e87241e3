import { join } from 'node:path';
import { parseTree, type ParseError } from 'jsonc-parser';
import { readCountedText } from '../../base/files/counted-text';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { parseJson } from '../../base/json/parse-json';
import { placeInJson } from '../../base/json/json-place';
import type { Problem } from '../../base/result';
import { errorCode } from '../../agent/tools/result';
import type { McpServerConfig } from '../../hook-typings/registered/mcp';
import { checkServerConfig, isOverride, namespaceOf } from './server-config';

/** A configured server. */
export interface McpServerEntry {
  readonly name: string;
  readonly config: McpServerConfig;
  /** The `mcp.json` that defines it, or the hook that registered it; absolute. `client` for a server of a client. */
  readonly source: string;
  /** `client`: whoever uses Hookline over a protocol gives it for one conversation; its values are literal. */
  readonly scope: 'user' | 'project' | 'hook' | 'client';
  /** The project's `mcp.json`, if it changes this server of the user's `mcp.json`. */
  readonly override?: string;
}

/** The result of reading the two `mcp.json` files. */
export interface McpConfig {
  /** The servers in the order of the files, including disabled ones. */
  readonly entries: readonly McpServerEntry[];
  readonly problems: readonly Problem[];
}

/** The last valid content of each file, by its path. The caller keeps it between readings. */
export type McpConfigMemory = Map<string, FileText>;

interface FileText {
  readonly text: string;
  readonly servers: Readonly<Record<string, unknown>>;
}

export interface McpConfigPlace {
  readonly agentDir: string;
  readonly cwd: string;
  /** Whether the folder's own `mcp.json` counts. */
  readonly includeProject: boolean;
}

const OVERRIDABLE = ['enabled', 'exposure', 'toolExposure'];

/** The file of a scope, absolute. */
export function mcpFile(
  scope: 'user' | 'project',
  { agentDir, cwd }: Pick<McpConfigPlace, 'agentDir' | 'cwd'>,
): string {
  return scope === 'user' ? join(agentDir, 'mcp.json') : join(cwd, '.pi', 'mcp.json');
}

/**
 * Reads the user's `mcp.json`, and with `includeProject` the project's, whose entries come over it. Never rejects: for
 * a file that cannot be read, its last valid content is used; an invalid entry is left out. Both add a problem with
 * file, line and column.
 */
export async function readMcpConfig(place: McpConfigPlace, memory: McpConfigMemory = new Map()): Promise<McpConfig> {
  const reading = new Reading();
  await reading.add('user', mcpFile('user', place), memory);
  if (place.includeProject) await reading.add('project', mcpFile('project', place), memory);
  return { entries: [...reading.entries.values()], problems: reading.problems };
}

class Reading {
  readonly entries = new Map<string, McpServerEntry>();
  readonly problems: Problem[] = [];

  async add(scope: 'user' | 'project', file: string, memory: McpConfigMemory): Promise<void> {
    const read = await this.read(file, memory);
    if (read === undefined) return;
    for (const [name, raw] of Object.entries(read.servers)) {
      const report = (message: string, at: readonly string[] = []): void => {
        const { line, column } = placeInJson(read.text, ['mcpServers', name, ...at]);
        this.problems.push({ message: `MCP server "${name}": ${message}.`, file, line: line + 1, column: column + 1 });
      };
      if (scope === 'project' && isRecord(raw) && isOverride(raw)) this.override(name, raw, file, report);
      else this.define({ name, source: file, scope }, raw, report);
    }
  }

  private define(about: Omit<McpServerEntry, 'config'>, raw: unknown, report: ReportProblem): void {
    const { name, scope } = about;
    const checked = checkServerConfig(name, raw);
    if (!checked.ok) {
      report(checked.fault.message, checked.fault.at);
      return;
    }
    const clash = [...this.entries.keys()].find(other => other !== name && namespaceOf(other) === namespaceOf(name));
    if (clash !== undefined) {
      report(`its name differs from "${clash}" only in "-" and "_", so the names of their tools would be the same`);
      return;
    }
    if (scope === 'project' && 'auth' in checked.config) {
      report('"auth" is only for your own mcp.json, because it sends your login', ['auth']);
      return;
    }
    this.entries.set(name, { ...about, config: checked.config });
  }

  private override(name: string, raw: Readonly<Record<string, unknown>>, file: string, report: ReportProblem): void {
    const base = this.entries.get(name);
    const extra = Object.keys(raw).find(key => !OVERRIDABLE.includes(key));
    if (base === undefined) {
      report('needs "command" or "url", or a server of this name in your own mcp.json that it changes');
    } else if (extra !== undefined) {
      report(`an entry without "command" and "url" can only have ${OVERRIDABLE.join(', ')}`, [extra]);
    } else {
      const checked = checkServerConfig(name, { ...base.config, ...raw });
      if (checked.ok) this.entries.set(name, { ...base, config: checked.config, override: file });
      else report(checked.fault.message, checked.fault.at);
    }
  }

  private async read(file: string, memory: McpConfigMemory): Promise<FileText | undefined> {
    const cannot = (problem: Omit<Problem, 'file'>): FileText | undefined => {
      const before = memory.get(file);
      const rest = before === undefined ? '' : ' The last valid version stays in effect.';
      this.problems.push({ ...problem, file, message: `${problem.message}${rest}` });
      return before;
    };
    let text: string;
    try {
      text = (await readCountedText(file)).replace(/^\uFEFF/, '');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return cannot({ message: `mcp.json cannot be read: ${messageOf(error)}.` });
      memory.delete(file);
      return undefined;
    }
    let parsed: unknown;
    try {
      parsed = parseJson(text);
    } catch (error) {
      return cannot({ message: `mcp.json is not JSON: ${messageOf(error)}.`, ...brokenPlace(text) });
    }
    const servers = isRecord(parsed) ? (parsed['mcpServers'] ?? {}) : undefined;
    if (!isRecord(servers)) {
      return cannot({ message: 'mcp.json must be an object with an object "mcpServers".', line: 1 });
    }
    this.reportRepeated(text, file);
    const read = { text, servers };
    memory.set(file, read);
    return read;
  }

  /** Reports names that are twice in a file. The last one counts, as in JSON. */
  private reportRepeated(text: string, file: string): void {
    const members = parseTree(text)?.children ?? [];
    const servers = members.find(({ children }) => children?.[0]?.value === 'mcpServers')?.children?.[1];
    const seen = new Set<unknown>();
    for (const { children } of servers?.children ?? []) {
      const name: unknown = children?.[0]?.value;
      if (seen.has(name)) {
        const place = placeOf(text, children?.[0]?.offset ?? 0);
        this.problems.push({
          message: `MCP server "${String(name)}" is defined twice; this entry is used.`,
          file,
          ...place,
        });
      }
      seen.add(name);
    }
  }
}

/** Adds a problem: `message` follows the server's name, and `at` leads to the member of its entry that is wrong. */
type ReportProblem = (message: string, at?: readonly string[]) => void;

/** The first position where the text is not valid JSON. */
function brokenPlace(text: string): { readonly line: number; readonly column: number } {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  return placeOf(text, errors[0]?.offset ?? 0);
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
