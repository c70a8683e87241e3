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
  const add = (what: ClaimName, index: number): void => {
    const key = `${what.kind} ${what.name}`;
    if (!found.has(key)) found.set(key, { ...what, places: [{ file, line: lineAt(text, index) }] });
  };
  for (const match of text.matchAll(ASKED)) {
    const name = match[2] ?? '';
    if (REACHING.test(name) && isBuiltin(name)) add({ kind: 'module', name }, match.index);
  }
  const evaluated = /(?:^|[^.\w$])(?:eval|new\s+Function)\s*\(/.exec(text);
  if (evaluated !== null) add({ kind: 'hidden', name: 'codeFromText' }, evaluated.index);
  for (const name of options.hosts ? hostsIn(text) : []) {
    add({ kind: 'host', name }, Math.max(0, text.toLowerCase().indexOf(name)));
  }
  return [...found.values()];
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
