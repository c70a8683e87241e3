import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { errorCode } from '../../agent/tools/result';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { PART_KINDS } from '../part-filter';
import { InstallFailure } from './install-failure';

/** Not the package's own: what it depends on, and what git keeps. */
const NOT_OWN = new Set(['node_modules', '.git']);

/**
 * Looks at a package that was downloaded into a folder (absolute), before anything uses it. Nothing of it is run.
 * @throws InstallFailure naming `source` and the culprit when the package reaches out of its folder, holds itself, or its
 * package.json cannot be read
 */
export async function checkPackage(folder: string, source: string): Promise<void> {
  await checkManifest(folder, source);
  await checkLinks(folder, await realpath(folder), source);
}

async function checkManifest(folder: string, source: string): Promise<void> {
  let manifest: unknown;
  try {
    manifest = JSON.parse((await readFile(join(folder, 'package.json'), 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return; // A repository needs none.
    throw new InstallFailure(l10n.t('{0}: its package.json cannot be read: {1}', source, messageOf(error)));
  }
  const parts = isRecord(manifest) && isRecord(manifest['pi']) ? manifest['pi'] : {};
  for (const kind of [...PART_KINDS, 'changelogPath']) {
    const named = parts[kind];
    for (const path of Array.isArray(named) ? named : [named]) {
      if (typeof path === 'string' && leavesFolder(folder, path.replace(/^[!+-]/, ''))) {
        const member = `pi.${kind}`;
        throw new InstallFailure(
          l10n.t('{0}: "{1}" of its package.json points outside of the package: {2}', source, member, path),
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
    const shown = relative(root, path).split(sep).join('/');
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

/** What a link leads to, absolute; undefined when it goes round in circles. */
async function targetOf(link: string): Promise<string | undefined> {
  try {
    return await realpath(link);
  } catch (error) {
    if (errorCode(error) === 'ELOOP') return undefined;
    return resolve(dirname(link), await readlink(link)); // There is nothing yet.
  }
}

function leavesFolder(folder: string, path: string): boolean {
  const way = relative(folder, resolve(folder, path));
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
