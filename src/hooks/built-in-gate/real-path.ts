import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { posix, win32, type PlatformPath } from 'node:path';

/** The part of the file system that tells where a path leads; given by tests, the machine's otherwise. */
export interface LinkReader {
  readonly platform: NodeJS.Platform;
  /** With all links followed; throws when there is no such file. */
  realpath(path: string): string;
  /** Where a link leads, as written; undefined for what is not a link. */
  readlink(path: string): string | undefined;
}

export const MACHINE_LINKS: LinkReader = {
  platform: process.platform,
  realpath: path => realpathSync.native(path),
  readlink: path =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined,
};

/** Links that are followed of one path; beyond, it leads in a circle. */
const MOST_LINKS = 40;

/**
 * The real path of a file that may not exist yet: links of all its ancestors are followed, and links that lead to nothing
 * as well, since writing to them makes what they name. Undefined when that is not known.
 */
export function realPathOf(path: string, links: LinkReader = MACHINE_LINKS): string | undefined {
  const paths = links.platform === 'win32' ? win32 : posix;
  return follow(paths.resolve(path), paths, links, MOST_LINKS);
}

function follow(path: string, paths: PlatformPath, links: LinkReader, left: number): string | undefined {
  if (left === 0) return undefined;
  try {
    return links.realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return undefined;
  }
  const parent = paths.dirname(path);
  if (parent === path) return path;
  const target = readLink(path, links);
  if (target === 'unreadable') return undefined;
  if (target !== undefined) return follow(paths.resolve(parent, target), paths, links, left - 1);
  const above = follow(parent, paths, links, left);
  return above === undefined ? undefined : paths.join(above, paths.basename(path));
}

function readLink(path: string, links: LinkReader): string | undefined {
  try {
    return links.readlink(path);
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? undefined : 'unreadable';
  }
}
