import { createHash, type Hash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { dependencyFolders } from './dependency-folders';

/** All files whose code can run with a package: its own files and those of its dependencies. */
export interface PackageContent {
  /** Hash of the names, inodes, sizes and times of all files: if it is equal, no file was written in between. */
  readonly signature: string;
  /** sha256 of the files' names and bytes, hexadecimal. Reads all files. Rejects if one cannot be read. */
  hash(): Promise<string>;
}

/** A folder with what is in it, or a piece of that. */
interface ContentFolder {
  /** Absolute. */
  readonly path: string;
  /** The name in the hash, empty or with a slash at its end; it does not depend on where the package is. */
  readonly name: string;
  readonly names: readonly string[];
  /** Of each of the names. */
  readonly stats: readonly Stats[];
}

/** How many files a package may have. */
const MOST_FILES = 100_000;
/** How many files are examined synchronously, ten times faster than with promises, before other work gets a turn. */
const FILES_AT_ONCE = 500;
/** How many bytes are read at once for the hash. */
const SLICE_BYTES = 1024 * 1024;
/** How many numbers describe a file: inode, size, time of the last write and of the last change. */
const NUMBERS = 4;

/**
 * Lists the files of a package and of the installed packages that it needs; `folder` may also be a single file.
 * @throws Error when a folder or file cannot be read, or there are too many of them
 */
export async function packageContent(folder: string, dependencies: readonly string[]): Promise<PackageContent> {
  const root = realpathSync.native(folder);
  const stats = lstatSync(root);
  const look = new Look(folder);
  if (!stats.isDirectory()) {
    const lone = { path: dirname(root), name: '', names: [basename(root)], stats: [stats] };
    look.at(lone);
    return { signature: look.signature(), hash: () => hashOf([lone]) };
  }
  const needed = await dependencyFolders(root, dependencies);
  const places = [
    { place: root, prefix: '' },
    ...needed
      .filter(({ folder: place }) => !place.startsWith(root + sep))
      .map(({ name, version, folder: place }) => ({ place, prefix: `needs ${name}@${version ?? ''}/` })),
  ];
  for (const { place, prefix } of places) {
    for (const each of foldersBelow(place, prefix)) if (look.at(each)) await setImmediate();
  }
  return {
    signature: look.signature(),
    // Rarely needed, so that the files are not kept for it: a package may have many thousands.
    hash: () => hashOf(places.flatMap(({ place, prefix }) => [...foldersBelow(place, prefix)])),
  };
}

/** A folder and those below it, in the order in which the system lists them, each in pieces of {@link FILES_AT_ONCE}. */
function* foldersBelow(root: string, prefix: string): Iterable<ContentFolder> {
  const open = [{ path: root, name: prefix }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, name } = next;
    const all = readdirSync(path);
    for (let start = 0; start < all.length; start += FILES_AT_ONCE) {
      const names = all.slice(start, start + FILES_AT_ONCE);
      const stats = names.map(each => lstatSync(path + sep + each));
      // Packages inside of a dependency's `node_modules` are added separately if they are needed.
      const isSkipped = (each: string): boolean => each === '.git' || (prefix !== '' && each === 'node_modules');
      const folders = names.filter((each, index) => stats[index]?.isDirectory() === true && !isSkipped(each));
      open.push(...folders.map(each => ({ path: path + sep + each, name: `${name}${each}/` })));
      yield { path, name, names, stats };
    }
  }
}

/** One look at all files; another order of the same files only makes them be read again. */
class Look {
  private readonly stamps = createHash('sha256');
  private count = 0;
  private restAt = FILES_AT_ONCE;

  constructor(private readonly about: string) {}

  /**
   * Returns whether other work should get a turn now.
   * @throws Error when there are too many files
   */
  at({ name, names, stats }: ContentFolder): boolean {
    const numbers = new Float64Array(names.length * NUMBERS);
    for (const [index, each] of stats.entries()) {
      if (!isContent(each)) continue;
      const { ino, size, mtimeMs, ctimeMs } = each;
      numbers.set([ino, size, mtimeMs, ctimeMs], index * NUMBERS);
      this.count += 1;
    }
    if (this.count > MOST_FILES) throw new Error(`${this.about} consists of more than ${MOST_FILES} files`);
    this.stamps.update(`${name}\0${names.length}\0${names.join('\0')}\0`).update(numbers);
    if (this.count < this.restAt) return false;
    this.restAt = this.count + FILES_AT_ONCE;
    return true;
  }

  /** To be asked once, at the end. */
  signature(): string {
    return this.stamps.digest('hex');
  }
}

function isContent(stats: Stats): boolean {
  return stats.isFile() || stats.isSymbolicLink();
}

async function hashOf(folders: readonly ContentFolder[]): Promise<string> {
  const hash = createHash('sha256');
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  const files = folders.flatMap(({ path, name, names, stats }) =>
    names.flatMap((each, index) => {
      const about = stats[index];
      return about !== undefined && isContent(about) ? [{ path: path + sep + each, name: name + each }] : [];
    }),
  );
  for (const { path, name } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const own = createHash('sha256');
    if (lstatSync(path).isSymbolicLink()) own.update(`-> ${readlinkSync(path)}`);
    else await readInto(own, path, slice);
    hash.update(`${name}\0${own.digest('hex')}\0`);
  }
  return hash.digest('hex');
}

/** Adds the content of a file to the hash, and gives other work a turn after each slice. */
async function readInto(hash: Hash, path: string, slice: Buffer): Promise<void> {
  const file = openSync(path, 'r');
  try {
    for (let bytes = readSync(file, slice); bytes > 0; bytes = readSync(file, slice)) {
      hash.update(slice.subarray(0, bytes));
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}
