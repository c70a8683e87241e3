import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { messageOf } from '../../base/errors';
import { FrontmatterError, parseFrontmatter, stripFrontmatter, type Frontmatter } from '../../base/frontmatter';
import type { Problem } from '../../base/result';

/** Where a resource comes from, as `getCommands` tells it. */
export type ResourceLocation = 'user' | 'project' | 'path';

/** Larger files are no instructions; bytes. */
const MAX_BYTES = 1024 * 1024;
/** Deeper folders are not looked into. */
const MAX_DEPTH = 8;

/** A markdown file below a folder; `folder` is its place there, such as `git/review`, empty at the top. */
export interface FoundFile {
  readonly path: string;
  readonly folder: string;
}

/** A resource file as read; `headProblem` means that its head was passed over. */
export interface ResourceText extends Frontmatter {
  /** 1-based line of a key of the head; 1 when it is not found. */
  readonly lineOf: (key: string) => number;
  readonly headProblem?: Problem;
}

/**
 * Files below a folder whose name `wanted` says yes to, sorted, hidden folders and `node_modules` left out. Symbolic
 * links are followed. A folder that is missing or unreadable holds nothing.
 */
export async function resourceFiles(
  folder: string,
  wanted: (name: string, depth: number) => boolean,
  maxDepth = MAX_DEPTH,
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const walked = new Set([await trueName(folder)]);
  const walk = async (at: string, below: string, depth: number): Promise<void> => {
    for (const name of (await readdir(at).catch(() => [])).sort()) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = join(at, name);
      const kind = await kindOf(path);
      if (kind === 'file' && wanted(name, depth)) found.push({ path, folder: below });
      if (kind !== 'folder' || depth >= maxDepth) continue;
      const real = await trueName(path);
      if (walked.has(real)) continue; // A link that leads upwards or across.
      walked.add(real);
      await walk(path, below === '' ? name : `${below}/${name}`, depth + 1);
    }
  };
  await walk(folder, '', 0);
  return found;
}

/** What stands at a path, links followed. */
export async function kindOf(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) return 'folder';
    return info.isFile() ? 'file' : 'none';
  } catch {
    return 'none'; // Missing, a dangling link, or out of reach: there is nothing to read.
  }
}

/** The same file under its one true name, to tell whether it was read already. */
export function trueName(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Reads a resource file. Never throws: a file that cannot be read is a problem, a bad head comes with the text. */
export async function readResource(path: string): Promise<ResourceText | Problem> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) {
      return { file: path, message: `The file is larger than ${MAX_BYTES} bytes and was not read.` };
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    return { file: path, message: `The file cannot be read: ${messageOf(error)}` };
  }
  const lines = text.split(/\r?\n/);
  const lineOf = (key: string): number =>
    Math.max(
      0,
      lines.findIndex(line => line.startsWith(`${key}:`)),
    ) + 1;
  try {
    return { ...parseFrontmatter(text), lineOf };
  } catch (error) {
    const at = error instanceof FrontmatterError ? { line: error.line } : {};
    const complaint = error instanceof FrontmatterError ? error.complaint : messageOf(error);
    const headProblem = { file: path, ...at, message: `The head of this file is not understood: ${complaint}` };
    return { frontmatter: {}, body: stripFrontmatter(text), lineOf, headProblem };
  }
}

/** A configured path as an absolute one: `~` is the home folder, relative paths start at `cwd`. */
export function resourcePath(path: string, cwd: string, home: string = homedir()): string {
  const plain = path.trim();
  if (plain === '~') return home;
  if (/^~[/\\]/.test(plain)) return join(home, plain.slice(2));
  return isAbsolute(plain) ? resolve(plain) : resolve(cwd, plain);
}

/** A text of the head; numbers count as written, everything else is none. */
export function headText(frontmatter: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = frontmatter[key];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
