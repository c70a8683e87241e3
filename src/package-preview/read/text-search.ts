import { isBuiltin } from 'node:module';
import type { Claim, ClaimName } from '../../packages/approval/claim';
import { hostsIn } from './host-names';

const ASKED = /(?:\bfrom\s*|\bimport\s*\(?\s*|require\s*\(\s*|getBuiltinModule\s*\(\s*)(['"`])(?:node:)?([\w/]+)\1/g;

/** Modules of Node that give access to files, the network, processes or other code. */
const REACHING =
  /^(?:child_process|cluster|dgram|dns|fs|http2?|https|inspector|module|net|repl|tls|vm|worker_threads)(?:\/|$)/;

/**
 * Searches the text of a module that is not parsed, for the modules above, for text that it runs as code and, with
 * `hosts`, for hosts. Each is listed once, with its first line. Minified code and comments are searched as well.
 */
export function searchText(file: string, text: string, options: { readonly hosts: boolean }): readonly Claim[] {
  const found = new Map<string, Claim>();
  const lineAt = linesOf(text);
  const add = (what: ClaimName, index: number): void => {
    const key = `${what.kind} ${what.name}`;
    if (!found.has(key)) found.set(key, { ...what, places: [{ file, line: lineAt(index) }] });
  };
  for (const match of text.matchAll(ASKED)) {
    const name = match[2] ?? '';
    if (REACHING.test(name) && isBuiltin(name)) add({ kind: 'module', name }, match.index);
  }
  const evaluated = /(?:^|[^.\w$])(?:eval|new\s+Function)\s*\(/.exec(text);
  if (evaluated !== null) add({ kind: 'hidden', name: 'codeFromText' }, evaluated.index);
  for (const [name, index] of options.hosts ? hostsIn(text) : []) add({ kind: 'host', name }, index);
  return [...found.values()];
}

/** Gives the line of an index, from 1. */
function linesOf(text: string): (index: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return index => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
