import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** A file below a package's folder. */
export interface FileInPackage {
  /** From the folder, with `/`. */
  readonly file: string;
  readonly bytes: number;
}

/** What is in the folder of a package, its dependencies left out. */
export interface PackageFiles {
  readonly files: readonly FileInPackage[];
  /** Links that lead out of the folder. */
  readonly outside: readonly string[];
  /** More are there than were looked at. */
  readonly isCut: boolean;
}

/** Files looked at in one package. */
const MOST_FILES = 20_000;

/** Lists the files of a package. Links are not followed. Folders that cannot be read count as empty. */
export async function packageFiles(folder: string): Promise<PackageFiles> {
  const files: FileInPackage[] = [];
  const outside: string[] = [];
  const root = await realpath(folder).catch(() => folder);
  const open = [root];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    // Asynchronous, so that two packages that are listed at the same time do not wait for each other.
    for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
      const path = join(dir, entry.name);
      const file = relative(root, path).replaceAll(sep, '/');
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
  const target = await realpath(link).catch(() => link); // A link to nothing leads nowhere else.
  return target === root || target.startsWith(root + sep);
}

async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.size ?? 0; // Gone meanwhile.
}

/** Whether a file is code that Node or the loader would run. */
export function isCodeFile(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file);
}

/** Whether a file is code that nobody can read. */
export function isBinary(file: string): boolean {
  return /\.(?:node|wasm|so|dylib|dll|exe|jar|pyc)$/i.test(file);
}
