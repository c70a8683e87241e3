import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '../../base/json/is-record';

/** A package that another one needs, where Node would find it. */
export interface DependencyFolder {
  readonly name: string;
  readonly version: string | undefined;
  /** Absolute, links resolved. */
  readonly folder: string;
}

/** Dependencies followed at most. */
const MOST = 2_000;

/**
 * All that a package needs, directly and through others, as far as it is installed, in order of their folders. `named` are the
 * direct ones. Nothing of them is run; what is not there is left out.
 */
export async function dependencyFolders(
  folder: string,
  named: readonly string[],
): Promise<readonly DependencyFolder[]> {
  const found = new Map<string, DependencyFolder>();
  const open = named.map(name => ({ name, from: folder }));
  for (let next = open.pop(); next !== undefined && found.size < MOST; next = open.pop()) {
    const place = await installedFor(next.name, next.from);
    if (place === undefined || found.has(place)) continue;
    const { version, dependencies } = await manifestOf(place);
    found.set(place, { name: next.name, version, folder: place });
    for (const name of dependencies) open.push({ name, from: place });
  }
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

async function installedFor(name: string, from: string): Promise<string | undefined> {
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name)) return undefined; // No name of a package, but a path perhaps.
  for (let at = from, above = dirname(at); ; at = above, above = dirname(at)) {
    const place = join(at, 'node_modules', name);
    const isThere = await stat(place).then(
      info => info.isDirectory(),
      () => false, // Not here: the next folder above may have it.
    );
    if (isThere) return await realpath(place).catch(() => undefined); // Gone meanwhile.
    if (above === at) return undefined;
  }
}

async function manifestOf(
  folder: string,
): Promise<{ readonly version: string | undefined; readonly dependencies: readonly string[] }> {
  const nothing = { version: undefined, dependencies: [] };
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  } catch {
    return nothing; // It cannot be loaded by its name either.
  }
  if (!isRecord(manifest)) return nothing;
  const { version, dependencies, optionalDependencies } = manifest;
  const names = [dependencies, optionalDependencies].flatMap(list => Object.keys(isRecord(list) ? list : {}));
  return { version: typeof version === 'string' ? version : undefined, dependencies: names };
}
