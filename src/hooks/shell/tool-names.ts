import { factsOf } from '../../agent/tools';
import { resolveExisting, resolveForWrite } from '../../agent/tools/files/paths';

/** A tool call under some tool's own names. */
export interface NamedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Whose names a shell hook is written for. */
export type Naming = 'claude' | 'github';

/** One tool of pi under another name, with its arguments: ours -> theirs. */
interface Renamed {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** Argument of ours that is a time in seconds, and in milliseconds there. */
  readonly time?: string;
}

const PATH = 'file_path';

const CLAUDE: Readonly<Record<string, Renamed>> = {
  bash: { name: 'Bash', arguments: {}, time: 'timeout' },
  read: { name: 'Read', arguments: { path: PATH } },
  write: { name: 'Write', arguments: { path: PATH } },
  edit: { name: 'Edit', arguments: { path: PATH, oldText: 'old_string', newText: 'new_string' } },
  find: { name: 'Glob', arguments: {} },
  grep: { name: 'Grep', arguments: { ignoreCase: '-i', context: '-C', limit: 'head_limit' } },
  ls: { name: 'LS', arguments: {} },
  todo: { name: 'TodoWrite', arguments: {} },
};

const GITHUB: Readonly<Record<string, Renamed>> = {
  bash: { name: 'bash', arguments: {}, time: 'timeout' },
  read: { name: 'view', arguments: {} },
  write: { name: 'create', arguments: { content: 'file_text' } },
  edit: { name: 'edit', arguments: { oldText: 'old_str', newText: 'new_str' } },
  find: { name: 'glob', arguments: {} },
  grep: { name: 'grep', arguments: {} },
  ls: { name: 'view', arguments: {} },
};

const NAMES: { readonly [N in Naming]: Readonly<Record<string, Renamed>> } = { claude: CLAUDE, github: GITHUB };

/**
 * A call of pi's as a shell hook knows it. Paths are the absolute ones that the tools
 * are going to open, so that a gate judges `~/x`, `@x`, `a/../../x` and `file:` addresses by the file they mean.
 */
export function toTheirs(call: NamedCall, naming: Naming, cwd: string): NamedCall {
  const renamed = own(NAMES[naming], call.name);
  if (renamed === undefined) return call;
  const input = Object.entries(call.input).map(([name, value]): readonly [string, unknown] => {
    const theirs = own(renamed.arguments, name) ?? name;
    if (name === renamed.time && typeof value === 'number') return [theirs, value * 1000];
    return [theirs, name === 'path' && typeof value === 'string' ? opened(call.name, value, cwd) : value];
  });
  return { name: renamed.name, input: Object.fromEntries(input) };
}

/** Arguments that a shell hook gave, as the tool of pi with this name takes them. */
export function toOurs(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  naming: Naming,
): Record<string, unknown> {
  const renamed = own(NAMES[naming], toolName);
  const back = new Map(Object.entries(renamed?.arguments ?? {}).map(([ours, theirs]) => [theirs, ours]));
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const ours = back.get(name) ?? name;
      return [ours, ours === renamed?.time && typeof value === 'number' ? value / 1000 : value];
    }),
  );
}

/** All names that a matcher may mean one of pi's tools by: theirs, and pi's own. */
export function namesFor(toolName: string, naming: Naming): readonly string[] {
  const theirs = own(NAMES[naming], toolName)?.name;
  return theirs === undefined || theirs === toolName ? [toolName] : [theirs, toolName];
}

/** By the rules of the tools themselves: any other rule would show a gate one file and open another. */
function opened(toolName: string, path: string, cwd: string): string {
  const isNew = factsOf(toolName).file({ path })?.use === 'write';
  return isNew ? resolveForWrite(path, cwd) : resolveExisting(path, cwd);
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
