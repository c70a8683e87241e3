import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { realPathIfThere } from '../base/files/on-disk';
import { fileKind, resourceFiles } from '../agent/resources/resource-file';
import { isGlob } from '../agent/resources/resource-list';
import { filesAt } from '../agent/resources/resource-place';
import { compileGlob, type PathMatcher } from '../agent/tools/search/glob';
import { messageOf } from '../base/errors';
import type { Problem } from '../base/result';
import { slashed } from '../base/files/slashed';
import { isWithin } from '../base/files/is-within';
import { readManifest } from './manifest';
import { hasSign, readFilter, type PartKind } from './part-filter';

/** A folder that is read as a package. */
export interface PackageFolder {
  /** Absolute. */
  readonly path: string;
  /**
   * Whether symbolic links may lead out of the folder: true for the user's own folder, false for a downloaded package.
   */
  readonly linksMayLeave: boolean;
}

/** How many files and folders one pattern of a manifest may be compared with. */
const MOST_TRIED = 20_000;

/**
 * The files that entries of a manifest name, absolute, in order. Adds a problem about `pi.<kind>` for an invalid entry.
 */
export async function filesOfEntries(
  entries: readonly string[],
  kind: PartKind,
  folder: PackageFolder,
  problems: Problem[],
): Promise<readonly string[]> {
  const file = join(folder.path, 'package.json');
  const report = (entry: string, what: string): void => {
    problems.push({ file, message: `"pi.${kind}" ${what}: ${entry}` });
  };
  const found: string[] = [];
  for (const entry of entries.filter(each => !hasSign(each))) {
    for (const path of await pathsOf(entry, folder, report)) found.push(...(await filesOfPath(path, kind)));
  }
  const signed = entries.filter(hasSign);
  if (signed.length === 0) return found;
  const keeps = readFilter(signed, report);
  return found.filter(path => keeps(path, folder.path));
}

/** The files in the subfolder that is named for the kind, such as `extensions`; none if there is no such folder. */
export function filesOfPlace(folder: string, kind: PartKind): Promise<readonly string[]> {
  return filesInFolder(join(folder, kind), kind);
}

/**
 * The entry files of a folder that is itself an extension: those that `pi.extensions` of its manifest names, or else
 * `index.ts`, or else `index.js`. Empty if the folder is not an extension.
 */
export async function ownEntries(folder: string): Promise<readonly string[]> {
  const { parts } = await readManifest(folder, []);
  const declared = (parts?.extensions ?? []).map(path => resolve(folder, path)).filter(path => isWithin(path, folder));
  const there = existing(declared);
  return there.length > 0 ? there : existing(['index.ts', 'index.js'].map(name => join(folder, name))).slice(0, 1);
}

async function pathsOf(
  entry: string,
  { path: root, linksMayLeave }: PackageFolder,
  report: (entry: string, what: string) => void,
): Promise<readonly string[]> {
  const start = resolve(root, isGlob(entry) ? startOf(entry) : entry);
  if (!isWithin(start, root)) {
    report(entry, 'names a path outside of the package');
    return [];
  }
  const tried: Tried = { left: MOST_TRIED };
  const matches = isGlob(entry) ? await globbed(entry, root, start, tried, report) : [start];
  if (tried.left <= 0) report(entry, `was compared with only the first ${MOST_TRIED} files`);
  const there = existing(matches);
  if (there.length === 0) report(entry, isGlob(entry) ? 'matches nothing' : 'names a path that does not exist');
  if (linksMayLeave) return there;
  const realRoot = realPathIfThere(root);
  const inside = there.filter(path => isWithin(realPathIfThere(path), realRoot));
  if (inside.length < there.length) report(entry, 'leads out of the package through a link');
  return inside;
}

/** The folders of a pattern before its first wildcard. */
function startOf(pattern: string): string {
  const names = slashed(pattern).split('/');
  return names.slice(0, names.findIndex(isGlob)).join('/');
}

interface Tried {
  left: number;
}

async function globbed(
  pattern: string,
  root: string,
  start: string,
  tried: Tried,
  report: (entry: string, what: string) => void,
): Promise<readonly string[]> {
  let matches: PathMatcher;
  try {
    // With a slash in front, a pattern that is a single name matches only in the top folder.
    matches = compileGlob(`/${slashed(pattern).replace(/^(\.?\/)+/, '')}`);
  } catch (error) {
    report(pattern, messageOf(error));
    return [];
  }
  const found: string[] = [];
  const walked = new Set<string>();
  const walk = async (at: string): Promise<void> => {
    const real = realPathIfThere(at);
    if (walked.has(real)) return; // A symbolic link leads to a folder that was already read.
    walked.add(real);
    for (const name of (await readdir(at).catch(() => [])).sort()) {
      if (name.startsWith('.') || name === 'node_modules' || tried.left-- <= 0) continue;
      const path = join(at, name);
      if (matches(slashed(relative(root, path)))) found.push(path);
      if (fileKind(path) === 'folder') await walk(path);
    }
  };
  await walk(start);
  return found;
}

async function filesOfPath(path: string, kind: PartKind): Promise<readonly string[]> {
  return fileKind(path) === 'file' ? [path] : filesInFolder(path, kind);
}

async function filesInFolder(path: string, kind: PartKind): Promise<readonly string[]> {
  if (kind === 'extensions') return extensionFiles(path);
  if (kind === 'skills') return (await filesAt({ path, location: 'path', kind: 'skills' }, [])).map(file => file.path);
  const ending = kind === 'prompts' ? '.md' : '.json';
  return (await resourceFiles(path, { wanted: name => name.endsWith(ending) })).map(file => file.path);
}

const isExtension = (name: string): boolean => /\.[jt]s$/.test(name) && !/\.d\.ts$/.test(name);
const MARKS_AN_EXTENSION = ['package.json', 'index.ts', 'index.js'];

/** The entries of a folder that is one extension; or else its extension files and those of the folders below. */
async function extensionFiles(folder: string): Promise<readonly string[]> {
  const own = await ownEntries(folder);
  if (own.length > 0) return own;
  const wanted = (name: string, depth: number): boolean =>
    depth === 0 ? isExtension(name) : MARKS_AN_EXTENSION.includes(name);
  const seen = new Set<string>();
  const files: string[] = [];
  for (const { path, folder: below } of await resourceFiles(folder, { wanted, maxDepth: 1 })) {
    if (below === '') {
      if (isExtension(path)) files.push(path);
    } else if (!seen.has(below)) {
      seen.add(below);
      files.push(...(await ownEntries(dirname(path))));
    }
  }
  return files;
}

function existing(paths: readonly string[]): readonly string[] {
  return paths.filter(path => fileKind(path) !== 'none');
}
