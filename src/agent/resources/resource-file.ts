import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { realPathIfThere } from '../../base/files/on-disk';
import { FileTooLargeError, readRegularText } from '../../base/files/regular-file';
import { isCode, messageOf } from '../../base/errors';
import {
  FrontmatterError,
  parseFrontmatter,
  stripFrontmatter,
  type Frontmatter,
  type FrontmatterOptions,
} from '../../base/text/frontmatter';
import type { Problem } from '../../base/result';
import { parseIgnoreFile } from '../tools/search/gitignore';

/** Where a resource comes from, in the words of `getCommands`. */
export type ResourceLocation = 'user' | 'project' | 'path';

/** In bytes. Larger files are not instructions. */
const MAX_BYTES = 1024 * 1024;
/** Deeper folders are not searched. */
const MAX_DEPTH = 8;

/** A markdown file below a folder; `folder` is its place there, such as `git/review`, empty at the top. */
export interface FoundFile {
  readonly path: string;
  readonly folder: string;
  /** The user or a hook named this file itself. */
  readonly isNamed?: true;
}

/** The content of a resource file. With `headProblem`, its head was skipped. */
export interface ResourceText extends Frontmatter {
  /** 1-based line of a key of the head; 1 when it is not found. */
  readonly lineOf: (key: string) => number;
  readonly headProblem?: Problem;
}

/** Which files of a folder are resources. */
export interface FileRules {
  readonly wanted: (name: string, depth: number) => boolean;
  /** If a folder has a file of this name, nothing else in it counts, at any depth. */
  readonly alone?: string;
  /** How many folders down; 8 when absent. */
  readonly maxDepth?: number;
}

/** Files with patterns of paths to skip in their folder; the last one that matches counts. */
const IGNORE_FILES = ['.gitignore', '.ignore', '.fdignore'];

/** Asks the ignore files of the folders on the way, the nearest first; the path starts at the folder that was searched. */
type Ignored = (path: string, isFolder: boolean) => boolean;

/**
 * Files below a folder, sorted, without hidden ones, `node_modules` and paths that ignore files name. Symbolic links
 * are followed. Missing paths are skipped; paths that exist and cannot be read are skipped with a problem.
 */
export async function resourceFiles(
  folder: string,
  rules: FileRules,
  problems: Problem[] = [],
): Promise<readonly FoundFile[]> {
  const { wanted, alone, maxDepth = MAX_DEPTH } = rules;
  const found: FoundFile[] = [];
  const walked = new Set([realPathIfThere(folder)]);
  const skip = (path: string, error: unknown): void => {
    if (!isMissing(error)) problems.push(unreadable(path, error));
  };
  const walk = async (at: string, below: string, depth: number, above: Ignored): Promise<void> => {
    const names = await readdir(at).catch((error: unknown): string[] => {
      skip(at, error);
      return [];
    });
    names.sort();
    const ignored = await ignoredIn(at, below, names, above);
    const inside = (name: string): string => (below === '' ? name : `${below}/${name}`);
    if (alone !== undefined && names.includes(alone) && !ignored(inside(alone), false)) {
      const path = join(at, alone);
      if (fileKind(path) === 'file') {
        found.push({ path, folder: below });
        return;
      }
    }
    for (const name of names) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = join(at, name);
      const kind = pathKind(path);
      if (ignored(inside(name), kind === 'folder')) continue;
      if (typeof kind === 'object') {
        if (wanted(name, depth) || depth < maxDepth) skip(path, kind.error);
        continue;
      }
      if (kind === 'file' && wanted(name, depth)) found.push({ path, folder: below });
      if (kind !== 'folder' || depth >= maxDepth) continue;
      const real = realPathIfThere(path);
      if (walked.has(real)) continue; // A link that leads upwards or across.
      walked.add(real);
      await walk(path, inside(name), depth + 1, ignored);
    }
  };
  await walk(folder, '', 0, () => false);
  return found;
}

async function ignoredIn(at: string, below: string, names: readonly string[], above: Ignored): Promise<Ignored> {
  const present = IGNORE_FILES.filter(name => names.includes(name));
  if (present.length === 0) return above;
  const texts = await Promise.all(present.map(name => readRegularText(join(at, name)).catch(() => '')));
  const says = texts.map(parseIgnoreFile).reverse();
  const start = below === '' ? 0 : below.length + 1;
  return (path, isFolder) => {
    const here = path.slice(start);
    return says.map(file => file(here, isFolder)).find(answer => answer !== undefined) ?? above(path, isFolder);
  };
}

/** The kind of a path; links are followed. Synchronous, because waking a thread takes longer than the call. */
export function fileKind(path: string): 'file' | 'folder' | 'none' {
  const kind = pathKind(path);
  return typeof kind === 'object' ? 'none' : kind;
}

/** Like {@link fileKind}, with the error of a path that is missing, leads nowhere, or cannot be reached. */
function pathKind(path: string): 'file' | 'folder' | { readonly error: unknown } {
  try {
    // A path that is neither counts as a file: reading it fails with the reason.
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    return { error };
  }
}

function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR');
}

/** The problem of a path that exists and is skipped. */
function unreadable(path: string, error: unknown): Problem {
  return { file: path, message: `This path is skipped, because it cannot be read: ${messageOf(error)}` };
}

/** Reads a resource file. Never throws: a file that cannot be read is a problem, and a wrong head is reported with the text. */
export async function readResource(path: string, options?: FrontmatterOptions): Promise<ResourceText | Problem> {
  let text: string;
  try {
    text = await readRegularText(path, { most: MAX_BYTES });
  } catch (error) {
    if (error instanceof FileTooLargeError) {
      return { file: path, message: `The file is larger than ${MAX_BYTES} bytes and was not read.` };
    }
    return { file: path, message: `The file cannot be read: ${messageOf(error)}` };
  }
  const lines = text.split(/\r?\n/);
  const lineOf = (key: string): number =>
    Math.max(
      0,
      lines.findIndex(line => line.startsWith(`${key}:`)),
    ) + 1;
  try {
    return { ...parseFrontmatter(text, options), lineOf };
  } catch (error) {
    const at = error instanceof FrontmatterError ? { line: error.line } : {};
    const complaint = error instanceof FrontmatterError ? error.complaint : messageOf(error);
    const headProblem = { file: path, ...at, message: `The frontmatter of this file cannot be read: ${complaint}` };
    return { frontmatter: {}, body: stripFrontmatter(text), lineOf, headProblem };
  }
}

/** A text of the head. Numbers count as they are written, other values do not count. */
export function headText(frontmatter: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = frontmatter[key];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
