import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HookImport } from './hook-module';

/** Extensions that may be left out, in the order in which they are tried. */
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.json'];

/** What a specifier of compiled output may stand for in the source folder. */
const SOURCE_OF: readonly (readonly [RegExp, string])[] = [
  [/\.js$/, '.ts'],
  [/\.js$/, '.tsx'],
  [/\.mjs$/, '.mts'],
  [/\.cjs$/, '.cts'],
  [/\.jsx$/, '.tsx'],
];

/** True for `./x`, `../x`, `/x` and `file:` specifiers: those that name a place on the disk. */
export function namesPath(specifier: string): boolean {
  return /^(\.{1,2}([/\\]|$)|[/\\]|[a-zA-Z]:[/\\]|file:)/.test(specifier);
}

/** True for files that belong to the hook itself, as against packages installed next to it. A hook may be a package. */
export function isOwnFile(file: string, entry: string): boolean {
  return packageOf(file) === packageOf(entry);
}

/** The path up to the last `node_modules/<name>/`; empty for files outside of packages. */
function packageOf(file: string): string {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+[/\\]/.exec(file)?.[0] ?? '';
}

/**
 * The real path of the file that a path specifier means when written in `importer`: as written, the TypeScript source of
 * a `.js` name, with an extension added, the index file or `main` of a folder. Undefined when there is none.
 */
export function resolvePath(specifier: string, importer: string): string | undefined {
  for (const path of pathsFor(specifier, importer)) if (isFile(path)) return realpathSync.native(path);
  return undefined;
}

/** Where an import leads on the disk now, when that is not where it led. */
export function misledBy({ from, specifier, to }: HookImport, entry: string): string | undefined {
  const now = resolvePath(specifier, from);
  const file = now !== undefined && isOwnFile(now, entry) ? now : undefined;
  return file === to ? undefined : (file ?? to);
}

/** What {@link resolvePath} tries, in this order; links are not resolved. */
export function* pathsFor(specifier: string, importer: string): Iterable<string> {
  const bare = specifier.replace(/[?#].*$/, '');
  const path = bare.startsWith('file:') ? fileURLToPath(bare) : resolve(dirname(importer), bare);
  yield* candidates(path);
  yield* candidates(resolve(path, 'index'));
}

function* candidates(path: string): Iterable<string> {
  yield path;
  for (const [from, to] of SOURCE_OF) if (from.test(path)) yield path.replace(from, to);
  for (const extension of EXTENSIONS) yield path + extension;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
