import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { errorCode } from '../../agent/tools/result';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { slashed } from '../../base/files/slashed';
import { PART_KINDS } from '../part-filter';
import { InstallFailure } from './install-failure';

/** Folders that are not the package's own content: its dependencies and the data of git. */
const NOT_OWN = new Set(['node_modules', '.git']);

/**
 * Checks a package that was downloaded into a folder (absolute), before it is used. None of its code is run. `warn` gets what
 * names `source` and an entry of its package.json that points outside of the package: nobody uses such an entry.
 * @throws InstallFailure that names `source` and the file when a link leads out of the package or to a folder that contains
 * the link, or when its package.json cannot be read
 */
export async function checkPackage(folder: string, source: string, warn: (text: string) => void): Promise<void> {
  await checkManifest(folder, source, warn);
  await checkLinks(folder, await realpath(folder), source);
}

async function checkManifest(folder: string, source: string, warn: (text: string) => void): Promise<void> {
  let manifest: unknown;
  try {
    manifest = JSON.parse((await readFile(join(folder, 'package.json'), 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return; // A repository needs no package.json.
    throw new InstallFailure(l10n.t('{0}: its package.json cannot be read: {1}', source, messageOf(error)));
  }
  const parts = isRecord(manifest) && isRecord(manifest['pi']) ? manifest['pi'] : {};
  for (const kind of [...PART_KINDS, 'changelogPath']) {
    const named = parts[kind];
    for (const path of Array.isArray(named) ? named : [named]) {
      if (typeof path === 'string' && leavesFolder(folder, path.replace(/^[!+-]/, ''))) {
        const member = `pi.${kind}`;
        warn(
          l10n.t(
            '{0}: "{1}" of its package.json points outside of the package, so it is left out: {2}',
            source,
            member,
            path,
          ),
        );
      }
    }
  }
}

async function checkLinks(folder: string, root: string, source: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !NOT_OWN.has(entry.name)) await checkLinks(path, root, source);
    if (!entry.isSymbolicLink()) continue;
    const shown = slashed(relative(root, path));
    const target = await targetOf(path);
    if (target === undefined) throw new InstallFailure(l10n.t('{0}: the link {1} points to itself.', source, shown));
    if (leavesFolder(root, target)) {
      throw new InstallFailure(l10n.t('{0}: the link {1} points outside of the package.', source, shown));
    }
    if (!leavesFolder(target, path)) {
      throw new InstallFailure(l10n.t('{0}: the link {1} points to a folder that contains it.', source, shown));
    }
  }
}

/** The target of a symbolic link, absolute; undefined when links lead in a circle. */
async function targetOf(link: string): Promise<string | undefined> {
  try {
    return await realpath(link);
  } catch (error) {
    if (errorCode(error) === 'ELOOP') return undefined;
    return resolve(dirname(link), await readlink(link)); // The target does not exist.
  }
}

function leavesFolder(folder: string, path: string): boolean {
  const way = relative(folder, resolve(folder, path));
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
