import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFile } from '../../base/files/on-disk';
import type { HookImport } from './hook-module';
import { mainOf, PackageResolver, type Conditions, type ModuleDisk, type Resolution } from './package-scope';

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
  return /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+[/\\]/s.exec(file)?.[0] ?? '';
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

/** How a module is asked for: `import` and `require` may get different files of a package. */
export type RequestKind = 'import' | 'require';

const IMPORTED: Conditions = ['import', 'node', 'default'];
const REQUIRED: Conditions = ['require', 'node', 'default'];
/** In the order in which a hook's own file tries them. */
const CONDITIONS: Readonly<Record<RequestKind, readonly Conditions[]>> = {
  import: [IMPORTED, REQUIRED],
  require: [REQUIRED, IMPORTED],
};
/** What Node adds when a package asks. */
const NODES_OWN: Conditions = ['module-sync', 'node-addons'];

/**
 * Where a specifier in one of the hook's own files leads: what {@link resolvePath} finds, else the file that `main` of a
 * folder names; for a name, the file of a package, which may be the hook's own. For names of Node's own modules and of those
 * that ship with the extension, do not ask.
 */
export function resolveModule(specifier: string, importer: string, kind: RequestKind, disk: ModuleDisk): Resolution {
  if (namesPath(specifier)) {
    const file = resolvePath(specifier, importer, disk.fileAt);
    return file === undefined ? mainOf(pathOf(specifier, importer), disk, candidates) : { file, manifests: [] };
  }
  const tried = CONDITIONS[kind].map(each => PackageResolver.resolve(specifier, importer, each, { disk, candidates }));
  const found = tried.find(({ file }) => file !== undefined);
  return { file: found?.file, manifests: (found ?? tried[0])?.manifests ?? [] };
}

/** The files to which a specifier in a file of a package may lead, however Node loads the package. */
export function resolveInPackage(specifier: string, importer: string, disk: ModuleDisk): readonly Resolution[] {
  if (!namesPath(specifier)) {
    return [IMPORTED, REQUIRED].map(each =>
      PackageResolver.resolve(specifier, importer, [...each, ...NODES_OWN], { disk, candidates }),
    );
  }
  const main = mainOf(pathOf(specifier, importer), disk, candidates);
  return [{ file: resolvePath(specifier, importer, disk.fileAt), manifests: [] }, main];
}

/** Where an import leads now, if that is not where it led; undefined if it is. */
export function changedTarget(
  { from, specifier, to, required }: HookImport,
  resolve: (specifier: string, importer: string, kind: RequestKind) => Resolution,
): Resolution | undefined {
  const now = resolve(specifier, from, required === true ? 'require' : 'import');
  return now.file === to ? undefined : now;
}

/** The paths that {@link resolvePath} tries, in this order; symbolic links are not resolved. */
export function* pathsFor(specifier: string, importer: string): Iterable<string> {
  const path = pathOf(specifier, importer);
  yield* candidates(path);
  yield* candidates(resolve(path, 'index'));
}

function pathOf(specifier: string, importer: string): string {
  const bare = specifier.replace(/[?#].*$/, '');
  return bare.startsWith('file:') ? fileURLToPath(bare) : resolve(dirname(importer), bare);
}

function* candidates(path: string): Iterable<string> {
  yield path;
  for (const [from, to] of SOURCE_OF) if (from.test(path)) yield path.replace(from, to);
  for (const extension of EXTENSIONS) yield path + extension;
}
