import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isRecord } from '../../base/json/is-record';

/** A package that another one needs, in the folder where Node would find it. */
export interface DependencyFolder {
  readonly name: string;
  readonly version: string | undefined;
  /** Absolute, links resolved. */
  readonly folder: string;
}

/** How many packages a package may need. */
const MOST = 2_000;
/** How many folders are read synchronously, which is much faster than with promises, before other work gets a turn. */
const FOLDERS_AT_ONCE = 20;

/**
 * All installed packages that a package needs, directly or through others, sorted by folder. `named` are the direct
 * dependencies. None of their code is run; packages that are not installed are left out.
 * @throws Error when there are too many of them
 */
export async function dependencyFolders(
  folder: string,
  named: readonly string[],
): Promise<readonly DependencyFolder[]> {
  const found = new Map<string, DependencyFolder>();
  const open = named.map(name => ({ name, from: folder }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const place = installedFor(next.name, next.from);
    if (place === undefined || found.has(place)) continue;
    if (found.size === MOST) throw new Error(`${folder} needs more than ${MOST} packages`);
    const { version, dependencies } = manifestOf(place);
    found.set(place, { name: next.name, version, folder: place });
    for (const name of dependencies) open.push({ name, from: place });
    if (found.size % FOLDERS_AT_ONCE === 0) await setImmediate();
  }
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function installedFor(name: string, from: string): string | undefined {
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name)) return undefined; // This is not a package name; it may be a path.
  for (let at = from, above = dirname(at); ; at = above, above = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (basename(at) !== 'node_modules' && isFolder(place)) return realName(place);
    if (above === at) return undefined;
  }
}

function isFolder(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // It cannot be read here; a folder above may have it.
  }
}

function realName(place: string): string | undefined {
  try {
    return realpathSync.native(place);
  } catch {
    return undefined; // It was removed meanwhile.
  }
}

/** The names of the packages that an installed package needs; none when its package.json cannot be read. */
export function dependenciesOf(folder: string): readonly string[] {
  return manifestOf(folder).dependencies;
}

function manifestOf(folder: string): {
  readonly version: string | undefined;
  readonly dependencies: readonly string[];
} {
  const nothing = { version: undefined, dependencies: [] };
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return nothing; // Without a valid package.json, Node cannot find its dependencies' names either.
  }
  if (!isRecord(manifest)) return nothing;
  const { version, dependencies, optionalDependencies } = manifest;
  const names = [dependencies, optionalDependencies].flatMap(list => Object.keys(isRecord(list) ? list : {}));
  return { version: typeof version === 'string' ? version : undefined, dependencies: names };
}
