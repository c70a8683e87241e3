import { isRecord } from '../../base/json/is-record';
import { toolFacts } from '../../agent/tools';
import { editPair, editsIn, prepareEditArguments, type TextEdit } from '../../agent/tools/files/editing/edit-arguments';
import { resolveExisting, resolveForWrite } from '../../agent/tools/files/paths';

/** A tool call with the names of pi or of another agent. */
export interface NamedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The agent whose names a shell hook expects; `github` are the names of Copilot. */
export type Naming = 'claude' | 'github';

/** The agent whose names are meant. */
export type AgentNaming = Naming | 'codex' | 'gemini' | 'qwen' | 'droid' | 'cline' | 'opencode' | 'cursor';

/** The other agent's name of one of pi's tools, and of its arguments (pi's name -> other name). */
interface Renamed {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** Name of an argument that is in seconds in pi, and in milliseconds for the other agent. */
  readonly time?: string;
  /** pi's names of arguments that the other tool also has, and that its calls may leave out. */
  readonly optional?: readonly string[];
  /** Other tools of the agent for the same work, with the names of their arguments. */
  readonly also?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const PATH = 'file_path';
const CLAUDE_EDIT = { path: PATH, oldText: 'old_string', newText: 'new_string' };
const GITHUB_EDIT = { oldText: 'old_str', newText: 'new_str' };
const SEARCH = { ignoreCase: '-i', context: '-C', limit: 'head_limit' };
const SEARCH_OPTIONS = ['path', 'glob', 'ignoreCase', 'context', 'limit'];

const CLAUDE: Readonly<Record<string, Renamed>> = {
  bash: { name: 'Bash', arguments: {}, time: 'timeout', optional: ['timeout'] },
  powershell: { name: 'PowerShell', arguments: {}, time: 'timeout', optional: ['timeout'] },
  read: {
    name: 'Read',
    arguments: { path: PATH },
    optional: ['offset', 'limit'],
    also: { NotebookRead: { path: 'notebook_path' } },
  },
  write: { name: 'Write', arguments: { path: PATH } },
  edit: {
    name: 'Edit',
    arguments: CLAUDE_EDIT,
    also: { MultiEdit: CLAUDE_EDIT, NotebookEdit: { path: 'notebook_path', newText: 'new_source' } },
  },
  find: { name: 'Glob', arguments: {}, optional: ['path'] },
  grep: { name: 'Grep', arguments: SEARCH, optional: SEARCH_OPTIONS },
  ls: { name: 'LS', arguments: {} },
  todo: { name: 'TodoWrite', arguments: {} },
};

const GITHUB: Readonly<Record<string, Renamed>> = {
  bash: { name: 'bash', arguments: {}, time: 'timeout' },
  read: { name: 'view', arguments: {} },
  write: { name: 'create', arguments: { content: 'file_text' } },
  edit: { name: 'edit', arguments: GITHUB_EDIT, also: { str_replace: GITHUB_EDIT, insert: GITHUB_EDIT } },
  find: { name: 'glob', arguments: {}, optional: ['path'] },
  grep: { name: 'grep', arguments: SEARCH, optional: SEARCH_OPTIONS },
  ls: { name: 'view', arguments: {} },
};

const CODEX: Readonly<Record<string, Renamed>> = {
  bash: { name: 'Bash', arguments: {}, also: { exec_command: { command: 'cmd' }, shell_command: {} } },
  read: { name: 'view_image', arguments: {} },
};

const DROID: Readonly<Record<string, Renamed>> = {
  bash: { name: 'Execute', arguments: {}, optional: ['timeout'] },
  read: { name: 'Read', arguments: { path: PATH }, optional: ['offset', 'limit'] },
  write: { name: 'Create', arguments: { path: PATH } },
  edit: { name: 'Edit', arguments: { path: PATH, ...GITHUB_EDIT } },
  find: { name: 'Glob', arguments: { pattern: 'patterns', path: 'folder' }, optional: ['path'] },
  grep: {
    name: 'Grep',
    arguments: { glob: 'glob_pattern', ignoreCase: 'case_insensitive', limit: 'head_limit' },
    optional: SEARCH_OPTIONS,
  },
  ls: { name: 'LS', arguments: { path: 'directory_path' } },
};

const GEMINI: Readonly<Record<string, Renamed>> = {
  bash: { name: 'run_shell_command', arguments: {} },
  read: { name: 'read_file', arguments: { path: PATH } },
  write: { name: 'write_file', arguments: { path: PATH } },
  edit: { name: 'replace', arguments: CLAUDE_EDIT },
  find: { name: 'glob', arguments: { path: 'dir_path' }, optional: ['path'] },
  grep: {
    name: 'grep_search',
    arguments: { path: 'dir_path', glob: 'include_pattern' },
    optional: ['path', 'glob'],
    also: { search_file_content: { path: 'dir_path', glob: 'include' } },
  },
  ls: { name: 'list_directory', arguments: { path: 'dir_path' } },
  todo: { name: 'write_todos', arguments: {} },
};

const OPENCODE: Readonly<Record<string, Renamed>> = {
  bash: { name: 'bash', arguments: {}, time: 'timeout', optional: ['timeout'] },
  read: { name: 'read', arguments: { path: 'filePath' }, optional: ['offset', 'limit'] },
  write: { name: 'write', arguments: { path: 'filePath' } },
  edit: { name: 'edit', arguments: { path: 'filePath', oldText: 'oldString', newText: 'newString' } },
  find: { name: 'glob', arguments: {}, optional: ['path'] },
  grep: { name: 'grep', arguments: { glob: 'include' }, optional: ['path', 'glob'] },
  ls: { name: 'list', arguments: {}, optional: ['path'] },
  todo: { name: 'todowrite', arguments: {} },
};

const QWEN: Readonly<Record<string, Renamed>> = {
  bash: { name: 'run_shell_command', arguments: {}, time: 'timeout', optional: ['timeout'], also: { monitor: {} } },
  read: { name: 'read_file', arguments: { path: PATH }, optional: ['offset', 'limit'] },
  write: { name: 'write_file', arguments: { path: PATH } },
  edit: {
    name: 'edit',
    arguments: CLAUDE_EDIT,
    also: { notebook_edit: { path: 'notebook_path', newText: 'new_source' } },
  },
  find: { name: 'glob', arguments: {}, optional: ['path'] },
  grep: { name: 'grep_search', arguments: {}, optional: ['path', 'glob', 'limit'] },
  ls: { name: 'list_directory', arguments: {} },
  todo: { name: 'todo_write', arguments: {} },
};

const CURSOR: Readonly<Record<string, Renamed>> = {
  bash: { name: 'Shell', arguments: {} },
  read: { name: 'Read', arguments: { path: PATH }, optional: ['offset', 'limit'] },
  write: { name: 'Write', arguments: { path: PATH, content: 'contents' } },
  edit: { name: 'StrReplace', arguments: CLAUDE_EDIT },
  grep: { name: 'Grep', arguments: SEARCH, optional: SEARCH_OPTIONS },
};

const NAMES: { readonly [N in AgentNaming]: Readonly<Record<string, Renamed>> } = {
  claude: CLAUDE,
  github: GITHUB,
  codex: CODEX,
  droid: DROID,
  gemini: GEMINI,
  qwen: QWEN,
  // Most of Cline's tools do several things in one call: see `cline-tools.ts` of the guard.
  cline: {},
  opencode: OPENCODE,
  cursor: CURSOR,
};

/** A tool of another agent that does the work of one of pi's tools. */
export interface TheirTool {
  /** pi's name. */
  readonly toolName: string;
  /** pi's name of an argument; the name itself where they are equal or the argument is unknown. */
  ourName(argument: string): string;
  /** The names that pi's argument may have in a call of the tool, the usual one first. */
  theirNames(argument: string): readonly string[];
  /** Whether a call can be given this argument of pi, although it has none so far. */
  takes(argument: string): boolean;
  /** Whether the number in this argument of pi is in seconds in pi, and in milliseconds in a call of the tool. */
  isTime(argument: string): boolean;
}

/**
 * The tool of pi that a tool of another agent stands for; undefined if there is none. Copilot tells hooks of its calls with its
 * own names of tools or with those of Claude Code, so its tools are looked for in both namings, in its own first.
 */
export function theirTool(name: string, namings: readonly AgentNaming[]): TheirTool | undefined {
  for (const naming of namings) {
    for (const [toolName, renamed] of Object.entries(NAMES[naming])) {
      const other = own(renamed.also ?? {}, name);
      if (renamed.name !== name && other === undefined) continue;
      const rows = namings.flatMap(each => own(NAMES[each], toolName) ?? []);
      const tables = [...(other === undefined ? [] : [other]), ...rows.map(row => row.arguments)];
      return {
        toolName,
        ourName: argument => tables.flatMap(Object.entries).find(([, theirs]) => theirs === argument)?.[0] ?? argument,
        theirNames: argument => [...new Set(tables.map(table => own(table, argument) ?? argument))],
        takes: argument => rows[0]?.optional?.includes(argument) ?? false,
        isTime: argument => rows.some(({ time }) => time === argument),
      };
    }
  }
  return undefined;
}

/**
 * Translates a call of pi for a shell hook. Paths become the absolute paths that the tools will open, so that a gate
 * judges `~/x`, `@x`, `a/../../x` and `file:` URLs by the file that they mean.
 */
export function toTheirs(call: NamedCall, naming: Naming, cwd: string): NamedCall {
  const renamed = own(NAMES[naming], call.name);
  if (renamed === undefined) return call;
  const edits = call.name === 'edit' ? editsIn(call.input) : undefined;
  const given = edits === undefined ? call.input : withPair(call.input, edits, renamed);
  const input = Object.entries(given).map(([name, value]): readonly [string, unknown] => {
    const theirs = own(renamed.arguments, name) ?? name;
    if (name === renamed.time && typeof value === 'number') return [theirs, value * 1000];
    return [theirs, name === 'path' && typeof value === 'string' ? opened(call.name, value, cwd) : value];
  });
  return { name: renamed.name, input: Object.fromEntries(input) };
}

/**
 * Adds the pair of texts, since both agents have one edit per call. For several edits, the pair contains the texts of
 * all, and the list is kept.
 */
function withPair(
  { edits: list, ...others }: NamedCall['input'],
  edits: readonly TextEdit[],
  renamed: Renamed,
): NamedCall['input'] {
  const shown = Array.isArray(list) && list.length > 1 ? { edits: edits.map(edit => theirNames(edit, renamed)) } : {};
  return { ...others, ...editPair(edits), ...shown };
}

function theirNames(edit: TextEdit, renamed: Renamed): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(edit).map(([name, text]) => [own(renamed.arguments, name) ?? name, text]));
}

/**
 * Translates arguments that a shell hook returned for pi's tool. Throws when the hook changed the joined texts of
 * several edits, from which the single edits cannot be derived.
 */
export function toOurs(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  naming: Naming,
): Record<string, unknown> {
  const renamed = own(NAMES[naming], toolName);
  const back = new Map(Object.entries(renamed?.arguments ?? {}).map(([ours, theirs]) => [theirs, ours]));
  const named = ourNames(input, back);
  for (const [name, value] of Object.entries(named)) {
    if (name === renamed?.time && typeof value === 'number') named[name] = value / 1000;
  }
  return toolName === 'edit' ? oneForm(named, back) : named;
}

function ourNames(
  input: Readonly<Record<string, unknown>>,
  back: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [back.get(name) ?? name, value]));
}

function oneForm(input: Record<string, unknown>, back: ReadonlyMap<string, string>): Record<string, unknown> {
  const list: unknown = input['edits'];
  const edits = Array.isArray(list)
    ? (list as readonly unknown[]).map(edit => (isRecord(edit) ? ourNames(edit, back) : edit))
    : undefined;
  if (edits === undefined) return prepareEditArguments(input) as Record<string, unknown>;
  const { oldText, newText, ...others }: Readonly<Record<string, unknown>> = { ...input, edits };
  const pair = editPair(editsIn({ edits }) ?? []);
  if ((oldText ?? pair.oldText) === pair.oldText && (newText ?? pair.newText) === pair.newText) return others;
  throw new Error('To change a call with several edits, change its list "edits", not the texts of all edits.');
}

/** The names that a matcher may use for one of pi's tools: the other agent's name, and pi's own. */
export function namesFor(toolName: string, naming: Naming): readonly string[] {
  const theirs = own(NAMES[naming], toolName)?.name;
  return theirs === undefined || theirs === toolName ? [toolName] : [theirs, toolName];
}

/** Resolves a path by the rules of the tool itself; otherwise a gate could see another file than the tool opens. */
function opened(toolName: string, path: string, cwd: string): string {
  const isNew = toolFacts(toolName).file({ path })?.use === 'write';
  return isNew ? resolveForWrite(path, cwd) : resolveExisting(path, cwd);
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
