import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { slashed } from '../../base/files/slashed';

/** A file below a package's folder. */
export interface FileInPackage {
  /** Path relative to the folder, with `/`. */
  readonly file: string;
  readonly bytes: number;
}

/** The files in the folder of a package, without those of its dependencies. */
export interface PackageFiles {
  readonly files: readonly FileInPackage[];
  /** Symbolic links to files outside of the folder. */
  readonly outside: readonly string[];
  /** There are more files than are listed. */
  readonly isCut: boolean;
}

/** How many files of one package are listed at most. */
const MOST_FILES = 20_000;

/** Lists the files of a package. Does not follow symbolic links. Folders that cannot be read count as empty. */
export async function packageFiles(folder: string): Promise<PackageFiles> {
  const files: FileInPackage[] = [];
  const outside: string[] = [];
  const root = await realpath(folder).catch(() => folder);
  const open = [root];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    // Asynchronous, so that two packages that are listed at the same time do not wait for each other.
    for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
      const path = join(dir, entry.name);
      const file = slashed(relative(root, path));
      if (files.length >= MOST_FILES) return { files, outside, isCut: true };
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && entry.name !== '.git') open.push(path);
      } else if (entry.isSymbolicLink()) {
        if (!(await leadsInto(path, root))) outside.push(file);
      } else if (entry.isFile()) {
        files.push({ file, bytes: await sizeOf(path) });
      }
    }
  }
  files.sort((a, b) => (a.file < b.file ? -1 : 1));
  return { files, outside, isCut: false };
}

async function leadsInto(link: string, root: string): Promise<boolean> {
  const target = await realpath(link).catch(() => link); // A broken link does not lead out of the folder.
  return target === root || target.startsWith(root + sep);
}

async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.size ?? 0; // The file was deleted in the meantime.
}

/** Whether a file is code that Node or the loader would run. */
export function isCodeFile(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file);
}

/** Whether a file is compiled code. */
export function isBinary(file: string): boolean {
  return /\.(?:node|wasm|so|dylib|dll|exe|jar|pyc)$/i.test(file);
}
