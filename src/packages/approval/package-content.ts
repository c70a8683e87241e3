import { createHash, type Hash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { dependencyFolders } from './dependency-folders';

/** All files whose code can run with a package: its own files and those of its dependencies. */
export interface PackageContent {
  /** Hash of the names, inodes, sizes and times of all files: if it is equal, no file was written in between. */
  readonly signature: string;
  /** sha256 of the files' names and bytes, hexadecimal. Reads all files. Rejects if one cannot be read. */
  hash(): Promise<string>;
}

interface ContentFile {
  /** Absolute. */
  readonly path: string;
  /** The name in the hash; it does not depend on the folder of the package. */
  readonly name: string;
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
  if (!lstatSync(root).isDirectory()) {
    const lone = [{ path: root, name: basename(root) }];
    const look = new Look(folder);
    await look.at(lone);
    return { signature: look.signature(), hash: () => hashOf(lone) };
  }
  const needed = await dependencyFolders(root, dependencies);
  const places = [
    { place: root, prefix: '' },
    ...needed
      .filter(({ folder: place }) => !place.startsWith(root + sep))
      .map(({ name, version, folder: place }) => ({ place, prefix: `needs ${name}@${version ?? ''}/` })),
  ];
  const look = new Look(folder);
  for (const { place, prefix } of places) for (const files of filesBelow(place, prefix)) await look.at(files);
  return {
    signature: look.signature(),
    // Rarely needed, so that the files are not kept for it: a package may have many thousands.
    hash: () => hashOf(places.flatMap(({ place, prefix }) => [...filesBelow(place, prefix)].flat())),
  };
}

/** The files in a folder and below it, folder by folder, in the order in which the system lists them. */
function* filesBelow(root: string, prefix: string): Iterable<readonly ContentFile[]> {
  const open = [{ path: root, name: prefix }];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const files: ContentFile[] = [];
    for (const entry of readdirSync(dir.path, { withFileTypes: true })) {
      const path = dir.path + sep + entry.name;
      const name = dir.name + entry.name;
      if (entry.isFile() || entry.isSymbolicLink()) files.push({ path, name });
      // Packages inside of a dependency's `node_modules` are added separately if they are needed.
      const isSkipped = entry.name === '.git' || (prefix !== '' && entry.name === 'node_modules');
      if (entry.isDirectory() && !isSkipped) open.push({ path, name: `${name}/` });
    }
    yield files;
  }
}

/** One look at all files; another order of the same files only makes them be read again. */
class Look {
  private readonly stamps = createHash('sha256');
  private count = 0;

  constructor(private readonly about: string) {}

  async at(files: readonly ContentFile[]): Promise<void> {
    const numbers = new Float64Array(files.length * NUMBERS);
    for (const [index, { path }] of files.entries()) {
      const { ino, size, mtimeMs, ctimeMs } = lstatSync(path);
      numbers.set([ino, size, mtimeMs, ctimeMs], index * NUMBERS);
      if (++this.count % FILES_AT_ONCE === 0) await setImmediate();
    }
    if (this.count > MOST_FILES) throw new Error(`${this.about} consists of more than ${MOST_FILES} files`);
    this.stamps.update(`${files.length}\0${files.map(({ name }) => `${name}\0`).join('')}`).update(numbers);
  }

  /** To be asked once, at the end. */
  signature(): string {
    return this.stamps.digest('hex');
  }
}

async function hashOf(files: readonly ContentFile[]): Promise<string> {
  const hash = createHash('sha256');
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  for (const { path, name } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
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
