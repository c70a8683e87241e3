import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { posix, win32, type PlatformPath } from 'node:path';

/** The functions of the file system that follow links; tests pass their own. */
export interface LinkReader {
  readonly platform: NodeJS.Platform;
  /** The path with all links followed; throws when there is no such file. */
  realpath(path: string): string;
  /** The target of a link, as written; undefined for anything else. */
  readlink(path: string): string | undefined;
}

export const MACHINE_LINKS: LinkReader = {
  platform: process.platform,
  realpath: path => realpathSync.native(path),
  readlink: path =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined,
};

/** How many links of one path are followed; a path with more probably leads in a circle. */
const MOST_LINKS = 40;

/**
 * The real path of a file that may not exist yet. Links of all folders above it are followed, and also links whose
 * target does not exist, since writing to such a link makes the target. Undefined when the real path is not known.
 */
export function realPathOf(path: string, links: LinkReader = MACHINE_LINKS): string | undefined {
  const paths = links.platform === 'win32' ? win32 : posix;
  return follow(paths.resolve(path), paths, links, { links: MOST_LINKS });
}

/** `path` is absolute and may contain `..`, which leads to the parent of what a link before it leads to. */
function follow(path: string, paths: PlatformPath, links: LinkReader, left: { links: number }): string | undefined {
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
  const above = follow(parent, paths, links, left);
  if (above === undefined) return undefined;
  if (target === undefined) return paths.join(above, paths.basename(path));
  if (--left.links < 0) return undefined;
  return follow(targetFrom(above, target, paths), paths, links, left);
}

/** Windows removes `..` before it follows links; other systems do so after it. */
function targetFrom(folder: string, target: string, paths: PlatformPath): string {
  if (paths === win32) return paths.resolve(folder, target);
  // With a slash at its end, a link would be read as its target.
  const tidy = target.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '');
  return paths.isAbsolute(tidy) ? tidy : `${folder}/${tidy}`;
}

function readLink(path: string, links: LinkReader): string | undefined {
  try {
    return links.readlink(path);
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? undefined : 'unreadable';
  }
}
