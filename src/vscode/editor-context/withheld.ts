import { existsSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative } from 'node:path';
import { compileWhole } from '../../agent/tools/search/glob';
import { parseIgnoreFile } from '../../agent/tools/search/gitignore';
import { readRegularText } from '../../base/files/regular-file';
import { slashed } from '../../base/files/slashed';
import { realPathOf } from '../../gate/calls/real-path';
import { isSecretPlace } from './secret-places';
import type { Withheld } from '../../protocol/composer/editor-chip';
import { readGit } from './git';

/** A file of the editor, and what decides about it. */
export interface AskedFile {
  /** Absolute; the file may be gone. */
  readonly path: string;
  /** Absolute path of the folder of the workspace that contains it; undefined when none does. */
  readonly folder: string | undefined;
  /** The value of `files.exclude`, unchecked. */
  readonly excludes: unknown;
}

/**
 * Why no text of a file is sent unless the user says so; undefined when nothing is against it. Where links lead counts as well as
 * how the file is named. Never rejects.
 */
export async function withheldBy({ path, folder, excludes }: AskedFile): Promise<Withheld | undefined> {
  if (folder === undefined) return 'outside';
  const [realFolder, realPath] = [realPathOf(folder), realPathOf(path)];
  if (realFolder === undefined || realPath === undefined) return 'outside';
  const [named, real] = [pathBelow(folder, path), pathBelow(realFolder, realPath)];
  if (named === undefined || real === undefined) return 'outside';
  // Not from the folder on: it may be in a folder of secrets itself.
  if (isSecretPlace(slashed(path)) || isSecretPlace(slashed(realPath))) return 'secret';
  const places = [...new Set([named, real])];
  const hides = (place: string): boolean =>
    isExcluded(place, excludes, name => existsSync(join(realFolder, dirname(place), name)));
  if (places.some(hides)) return 'exclude';
  const ignored = await Promise.all(places.map(place => isIgnored(realFolder, place)));
  return ignored.includes(true) ? 'gitignore' : undefined;
}

/** A path with `/` from the folder on; undefined when it is not below it. Both are absolute. */
function pathBelow(folder: string, path: string): string | undefined {
  const below = relative(folder, path);
  return below === '' || below === '..' || isAbsolute(below) || /^\.\.[\\/]/.test(below) ? undefined : slashed(below);
}

/**
 * Whether `files.exclude` hides a file; `path` is relative to the folder, with `/`. A pattern that hides a folder hides what is
 * in it. `hasSibling` says whether the file's folder has a file of a name, which `when` asks about.
 */
export function isExcluded(path: string, excludes: unknown, hasSibling: (name: string) => boolean): boolean {
  if (typeof excludes !== 'object' || excludes === null) return false;
  const names = path.split('/');
  const places = names.map((_, at) => names.slice(0, at + 1).join('/'));
  return Object.entries(excludes).some(([glob, condition]: [string, unknown]) => {
    if (condition === false || condition === null) return false;
    const sibling = siblingIn(condition, path);
    return matchesAny(glob, places) && (sibling === undefined || hasSibling(sibling));
  });
}

function matchesAny(glob: string, places: readonly string[]): boolean {
  try {
    const matches = compileWhole(glob.replace(/\/$/, ''));
    return places.some(place => matches(place));
  } catch {
    return false; // VS Code ignores such a pattern, too.
  }
}

/** The file that `{ "when": "$(basename).ts" }` asks about; undefined when there is no such condition. */
function siblingIn(condition: unknown, path: string): string | undefined {
  if (typeof condition !== 'object' || condition === null || !('when' in condition)) return undefined;
  const name = basename(path, extname(path));
  return typeof condition.when === 'string' ? condition.when.replaceAll('$(basename)', name) : undefined;
}

/** Whether git ignores a file. Without git or a repository, the folder's own `.gitignore` files decide. */
async function isIgnored(folder: string, path: string): Promise<boolean> {
  const absolute = join(folder, path);
  const { code } = await readGit(dirname(absolute), ['check-ignore', '--quiet', '--', absolute]);
  return code === 0 || (code !== 1 && (await isIgnoredBelow(folder, path)));
}

/** Whether a `.gitignore` on the way from the folder ignores a file, or a folder that the file is in. */
async function isIgnoredBelow(folder: string, path: string): Promise<boolean> {
  const names = path.split('/');
  const read = names.map(async (_, depth) => {
    const text = await readRegularText(join(folder, ...names.slice(0, depth), '.gitignore')).catch(() => '');
    return parseIgnoreFile(text);
  });
  const files = await Promise.all(read);
  return names.some((_, at) => {
    const isDirectory = at < names.length - 1;
    // The nearest file that says anything counts.
    const says = files
      .slice(0, at + 1)
      .map((file, depth) => file(names.slice(depth, at + 1).join('/'), isDirectory))
      .findLast(answer => answer !== undefined);
    return says === true;
  });
}
