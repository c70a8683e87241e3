import { createHash, type Hash } from 'node:crypto';
import { createReadStream, lstatSync, readlinkSync } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { dependencyFolders } from './dependency-folders';

/** Everything whose code runs with a package: its own files, and those of all it needs. */
export interface PackageContent {
  /** What the system says of the files: the same text means that none of them was written since. */
  readonly signature: string;
  /** sha256 over the files' names and bytes, hexadecimal. Reads them all. */
  hash(): Promise<string>;
}

interface ContentFile {
  /** Absolute. */
  readonly path: string;
  /** How it is called in the hash, wherever the package lies. */
  readonly name: string;
  /** Of a link: what it leads to, as written. */
  readonly link?: string;
  readonly stamp: string;
}

/** Files that one package may consist of. */
const MOST_FILES = 100_000;
/** After so many files the thread is left to others: asking about a file takes some µs, and ten times that by a promise. */
const FILES_AT_ONCE = 500;

/**
 * Looks at the files of a package and of the installed packages that it needs; `folder` may also be a lone file.
 * @throws Error when a folder or file cannot be read, or there are too many of them
 */
export async function packageContent(folder: string, dependencies: readonly string[]): Promise<PackageContent> {
  const root = await realpath(folder);
  const isFolder = (await lstat(root)).isDirectory();
  const needed = isFolder ? await dependencyFolders(root, dependencies) : [];
  const outside = needed.filter(each => !each.folder.startsWith(root + sep));
  const files = isFolder ? await filesBelow(root, '') : [fileAt(root, basename(root))];
  for (const { name, version, folder: place } of outside) {
    files.push(...(await filesBelow(place, `needs ${name}@${version ?? ''}/`)));
    if (files.length > MOST_FILES) throw new Error(`${folder} consists of more than ${MOST_FILES} files`);
  }
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  const stamps = createHash('sha256');
  for (const { name, stamp } of files) stamps.update(`${name}\0${stamp}\0`);
  return { signature: stamps.digest('hex'), hash: () => hashOf(files) };
}

async function filesBelow(root: string, prefix: string): Promise<ContentFile[]> {
  const files: ContentFile[] = [];
  const open = [root];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const entries = await readdir(dir, { withFileTypes: true });
    // A dependency's own folder of dependencies counts where it is needed.
    const isOutside = prefix !== '';
    const paths = entries.flatMap(entry => {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isDirectory()) return entry.isFile() || entry.isSymbolicLink() ? [path] : [];
      if (entry.name !== '.git' && !(isOutside && entry.name === 'node_modules')) open.push(path);
      return [];
    });
    for (const path of paths) {
      files.push(fileAt(path, prefix + path.slice(root.length + 1).replaceAll(sep, '/')));
      if (files.length % FILES_AT_ONCE === 0) await setImmediate();
    }
    if (files.length > MOST_FILES) throw new Error(`${root} holds more than ${MOST_FILES} files`);
  }
  return files;
}

function fileAt(path: string, name: string): ContentFile {
  const info = lstatSync(path, { bigint: true });
  const stamp = [info.ino, info.size, info.mtimeNs, info.ctimeNs].join(' ');
  return info.isSymbolicLink() ? { path, name, stamp, link: readlinkSync(path) } : { path, name, stamp };
}

async function hashOf(files: readonly ContentFile[]): Promise<string> {
  const whole = createHash('sha256');
  for (const { path, name, link } of files) {
    const own = createHash('sha256');
    if (link === undefined) await readInto(own, path);
    else own.update(`-> ${link}`);
    whole.update(`${name}\0${own.digest('hex')}\0`);
  }
  return whole.digest('hex');
}

async function readInto(hash: Hash, path: string): Promise<void> {
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
}
