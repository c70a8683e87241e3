import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../../base/json/is-record';

/** A package in `package-lock.json`. */
export interface LockedPackage {
  /** Path in the project, such as `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Digests of its tarball, as npm writes them; absent if it was not installed from a tarball. */
  readonly integrity?: string;
  readonly hasInstallScript: boolean;
}

/** The packages of a project's `package-lock.json`; none when there is no such file or npm did not write it. */
export async function readLock(project: string): Promise<readonly LockedPackage[]> {
  let lock: unknown;
  try {
    lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
  } catch {
    return []; // The file does not exist or is invalid; npm will write it.
  }
  if (!isRecord(lock) || !isRecord(lock['packages'])) return [];
  return Object.entries(lock['packages']).flatMap(([path, entry]): LockedPackage[] => {
    if (path === '' || !isRecord(entry) || typeof entry['version'] !== 'string') return [];
    const { version, integrity, name, hasInstallScript } = entry;
    const own =
      typeof name === 'string' ? name : path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return [
      {
        path,
        name: own,
        version,
        ...(typeof integrity === 'string' ? { integrity } : {}),
        hasInstallScript: hasInstallScript === true,
      },
    ];
  });
}

/** The packages whose content differs from the content that the earlier lock recorded for the same version. */
export function changedIntegrity(
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
): readonly LockedPackage[] {
  const known = new Map(before.map(each => [`${each.name}@${each.version}`, each.integrity]));
  return after.filter(({ name, version, integrity }) => {
    const recorded = known.get(`${name}@${version}`);
    return recorded !== undefined && !sameContent(recorded, integrity);
  });
}

/** The packages with an install script that were not in the earlier lock at this path and version. */
export function newInstallScripts(
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
): readonly LockedPackage[] {
  const known = new Set(before.map(({ path, version }) => `${path}@${version}`));
  return after.filter(({ path, version, hasInstallScript }) => hasInstallScript && !known.has(`${path}@${version}`));
}

/** Compares two lists of digests: those of the strongest algorithm in the first list must be equal. */
function sameContent(recorded: string, found: string | undefined): boolean {
  if (recorded === found) return true;
  const [before, after] = [digests(recorded), digests(found ?? '')];
  const algorithm = ['sha512', 'sha384', 'sha256', 'sha1'].find(each => before.has(each));
  return algorithm !== undefined && before.get(algorithm) === after.get(algorithm);
}

function digests(integrity: string): ReadonlyMap<string, string> {
  return new Map(
    integrity.split(/\s+/).map(each => {
      const dash = each.indexOf('-');
      return [each.slice(0, dash), each.slice(dash + 1)];
    }),
  );
}
