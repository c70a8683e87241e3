import { dirname, resolve } from 'node:path';
import { readRegularText } from '../../base/files/regular-file';

/** What the text of a hook that does not run says about guarding tools. */
export type GateFound =
  | 'gate'
  /** Part of its code could not be read. */
  | 'unknown'
  | 'none';

/** Files read of one hook at most; beyond, it counts as unknown. */
const MOST_FILES = 100;

/** Whether a hook with this text handles `tool_call`, as far as the text shows. */
export function mentionsToolCall(text: string): boolean {
  return /(['"`])tool_call\1/.test(text);
}

/**
 * The same for a hook that does not load: reads its entry, what that imports relatively, and `also`, as text. Code from
 * elsewhere and missing code make the answer `unknown`, unless the readable code shows a gate.
 */
export async function findGate(entry: string, also: readonly string[] = []): Promise<GateFound> {
  const seen = new Set<string>();
  const open: (readonly string[])[] = [[entry], ...also.map(path => [path])];
  let unknown = false;
  let registers = false;
  let borrows = false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.some(path => seen.has(path))) continue;
    const found = seen.size < MOST_FILES ? await firstReadable(next) : undefined;
    if (found === undefined) {
      unknown = true;
      continue;
    }
    if (seen.has(found.path)) continue;
    seen.add(found.path);
    if (mentionsToolCall(found.text)) return 'gate';
    registers ||= /\.\s*on\s*\(/.test(found.text);
    for (const specifier of importsOf(found.text)) {
      if (specifier.startsWith('.')) open.push(candidatesFor(resolve(dirname(found.path), specifier)));
      else borrows ||= !specifier.startsWith('node:');
    }
  }
  return unknown || (borrows && !registers) ? 'unknown' : 'none';
}

/** Whether the readable text of a hook that does not run shows a gate. */
export async function mayGuardTools(entry: string): Promise<boolean> {
  return (await findGate(entry)) === 'gate';
}

async function firstReadable(
  paths: readonly string[],
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  for (const path of paths) {
    try {
      return { path, text: await readRegularText(path) };
    } catch {
      // Not this one: imports may leave out the ending or name that of the compiled file.
    }
  }
  return undefined;
}

/** What a text imports, types left out: they bring no code. */
function importsOf(text: string): readonly string[] {
  const found = text.matchAll(
    /\b(?:import|export)\s+(?!type\b)[^'"`;]*?\bfrom\s*(['"])(.+?)\1|\b(?:import|require)\s*\(?\s*(['"])(.+?)\3/g,
  );
  return [...found].map(match => match[2] ?? match[4] ?? '').filter(specifier => specifier !== '');
}

function candidatesFor(path: string): readonly string[] {
  const bare = path.replace(/\.([cm]?)jsx?$/, '.$1ts');
  const endings = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '.tsx', '.jsx', '.json'];
  return [
    path,
    bare,
    ...endings.map(ending => path + ending),
    ...endings.map(ending => resolve(path, `index${ending}`)),
  ];
}
