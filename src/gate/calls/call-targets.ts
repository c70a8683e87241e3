import { relative, sep } from 'node:path';
import { resolveToCwd } from '../../agent/tools/files/paths';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';

/** A command, path, pattern or URL that a call acts on, in all spellings that name it. */
export type CallTarget = readonly string[];

/** Last words of the names that such arguments have in foreign tools: `file_path`, `targetUrl`. */
const TARGET_WORDS = new Set([
  ...['command', 'commands', 'cmd', 'cmdline', 'commandline'],
  ...['path', 'paths', 'filepath', 'filepaths', 'file', 'files', 'filename', 'filenames'],
  ...['folder', 'folders', 'dir', 'dirs', 'directory', 'directories'],
  ...['pattern', 'patterns', 'glob', 'globs', 'regex', 'regexp'],
  ...['url', 'urls', 'uri', 'uris', 'href'],
]);

/** Deeper arguments are not searched. */
const DEEPEST = 20;

/**
 * What a call acts on. Of Hookline's own tools, only the argument that counts; of others, all arguments that look like a
 * command, path, pattern or URL, at any depth. Empty when nothing is known or the arguments are nested too deeply.
 */
export function callTargets({ kind, input, cwd }: Pick<AskedCall, 'kind' | 'input' | 'cwd'>): readonly CallTarget[] {
  switch (kind) {
    case 'executes':
      return targetsOf(input['command']);
    case 'reads':
    case 'writes': {
      const { path, pattern } = input;
      return typeof path === 'string' && path !== '' ? [pathSpellings(path, cwd)] : targetsOf(pattern);
    }
    case 'editor':
    case 'foreign':
    case 'plans': {
      const found: string[] = [];
      return collect(input, { isTarget: false, depth: 0 }, found) ? targetsOf(...found) : [];
    }
  }
}

function targetsOf(...values: readonly unknown[]): readonly CallTarget[] {
  return values.flatMap(value => (typeof value === 'string' && value.trim() !== '' ? [[value, asJson(value)]] : []));
}

/** Dialogs may also show the path from the folder of the agent, or the absolute path. */
function pathSpellings(path: string, cwd: string): CallTarget {
  const absolute = resolveToCwd(path, cwd);
  const inside = relative(cwd, absolute);
  const spellings = [path, absolute, inside, `.${sep}${inside}`];
  // Many write paths with slashes on Windows, too.
  const withSlashes = spellings.map(spelling => spelling.replaceAll(sep, '/'));
  return [...new Set([...spellings, ...withSlashes].flatMap(spelling => [spelling, asJson(spelling)]))];
}

/** The text as it is in JSON, in which some dialogs show the arguments. */
function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Adds the arguments that name what the call acts on; false when there are arguments too deep to be searched. */
function collect(
  value: unknown,
  { isTarget, depth }: { readonly isTarget: boolean; readonly depth: number },
  found: string[],
): boolean {
  if (typeof value === 'string') {
    if (isTarget) found.push(value);
    return true;
  }
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEEPEST) return false;
  const members = Array.isArray(value) ? value.map(member => [undefined, member] as const) : Object.entries(value);
  return members.every(([name, member]) => {
    const isNamed = name === undefined ? isTarget : TARGET_WORDS.has(lastWord(name));
    return collect(member, { isTarget: isNamed, depth: depth + 1 }, found);
  });
}

/** `path` of `file_path`, `filePath` and `PATH`. */
function lastWord(name: string): string {
  return (name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu)?.at(-1) ?? '').toLowerCase();
}
