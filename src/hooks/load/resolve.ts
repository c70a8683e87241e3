import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFile } from '../../base/on-disk';
import type { HookImport } from './hook-module';

/** Extensions that a specifier may leave out, in the order in which they are tried. */
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.json'];

/** Which TypeScript source a specifier with a JavaScript extension may mean. */
const SOURCE_OF: readonly (readonly [RegExp, string])[] = [
  [/\.js$/, '.ts'],
  [/\.js$/, '.tsx'],
  [/\.mjs$/, '.mts'],
  [/\.cjs$/, '.cts'],
  [/\.jsx$/, '.tsx'],
];

/** True for specifiers that name a path: `./x`, `../x`, `/x`, `C:\x` and `file:`. */
export function namesPath(specifier: string): boolean {
  return /^(\.{1,2}([/\\]|$)|[/\\]|[a-zA-Z]:[/\\]|file:)/.test(specifier);
}

/**
 * True for files of the hook itself, false for files of packages installed next to it. A hook may itself be a package.
 */
export function isOwnFile(file: string, entry: string): boolean {
  return packageOf(file) === packageOf(entry);
}

/** The path up to the last `node_modules/<name>/`; empty for files outside of packages. */
function packageOf(file: string): string {
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+[/\\]/.exec(file)?.[0] ?? '';
}

/**
 * The real path of the file that a path specifier in `importer` means. Tried in this order: the path as written, the
 * TypeScript source of a `.js` name, the path with an extension added, and the same for `index` in the folder of that
 * name. Undefined when no such file exists.
 */
export function resolvePath(specifier: string, importer: string, fileAt = realFile): string | undefined {
  for (const path of pathsFor(specifier, importer)) {
    const file = fileAt(path);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The real path of a file; undefined if there is no file at `path`. */
export function realFile(path: string): string | undefined {
  return isFile(path) ? realpathSync.native(path) : undefined;
}

/**
 * False if no folder of packages has the package of this specifier, so that requiring it in `importer` fails. A function
 * of the hook whose name ends in `Require` also looks as if it required its first argument.
 */
export function mayBeInstalled(specifier: string, importer: string): boolean {
  const name = /^(?:@[^/]+\/)?[^/#]+/.exec(specifier)?.[0];
  if (name === undefined) return true; // A name such as `#own`, which the package.json of the hook translates.
  const folders = createRequire(importer).resolve.paths(name) ?? [];
  return folders.some(folder => ['', '.node', ...EXTENSIONS].some(ending => existsSync(join(folder, name + ending))));
}

/** The file to which an import now resolves, or else the missing file; undefined if nothing changed. */
export function changedTarget(
  { from, specifier, to }: HookImport,
  entry: string,
  resolve = resolvePath,
): string | undefined {
  const now = resolve(specifier, from);
  const file = now !== undefined && isOwnFile(now, entry) ? now : undefined;
  return file === to ? undefined : (file ?? to);
}

/** The paths that {@link resolvePath} tries, in this order; symbolic links are not resolved. */
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
