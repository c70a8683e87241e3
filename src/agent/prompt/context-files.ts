import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { realPathIfThere } from '../../base/files/on-disk';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { readRegular, readRegularText, readSmallSync } from '../../base/files/regular-file';
import type { Problem } from '../../base/result';
import { errorCode } from '../tools/result';

/** Names of instruction files, of which the first in a folder counts (docs/settings.md). */
export const CONTEXT_FILE_NAMES: readonly string[] = [
  'AGENTS.override.md',
  'AGENTS.md',
  'AGENTS.MD',
  'CLAUDE.md',
  'CLAUDE.MD',
];

export interface ContextFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Instruction files for the system prompt: the agent folder's first, then from the file system's root down to the
 * workspace, one per folder and each file once. A worktree inside its own repository hides the repository's file of the
 * same name, which it has itself. In Restricted Mode only the agent folder's is read. A file that is there and cannot be
 * read is a problem; the next name of its folder counts then.
 */
export async function loadContextFiles(
  sources: {
    readonly agentDir: string;
    readonly cwd: string;
    readonly includeProject: boolean;
  },
  problems: Problem[] = [],
): Promise<readonly ContextFile[]> {
  const { agentDir, cwd, includeProject } = sources;
  const folders = [agentDir, ...(includeProject ? ancestors(cwd) : [])];
  const [found, hidden] = await Promise.all([
    Promise.all(folders.map(folder => firstIn(folder, problems))),
    includeProject ? hiddenByWorktree(cwd) : undefined,
  ]);
  const seen = new Set<string>();
  const files: ContextFile[] = [];
  for (const file of found) {
    if (file === undefined) continue;
    const folder = realPathIfThere(dirname(file.path));
    const name = realPathIfThere(file.path);
    if (seen.has(name) || join(folder, basename(file.path)) === hidden) continue;
    seen.add(name);
    files.push(file);
  }
  return files;
}

function ancestors(folder: string): string[] {
  const chain: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    chain.push(at);
    if (dirname(at) === at) return chain.reverse();
  }
}

async function hiddenByWorktree(cwd: string): Promise<string | undefined> {
  const nested = await nestedWorktree(cwd);
  const own = nested && (await firstIn(nested.worktree, []));
  return own && join(nested.repository, basename(own.path));
}

/** A linked worktree of git that is inside the repository it belongs to; true paths of both. */
interface NestedWorktree {
  readonly worktree: string;
  readonly repository: string;
}

/** The nested worktree that a folder is in; undefined in every other place, such as a submodule or a bare repository. */
async function nestedWorktree(cwd: string): Promise<NestedWorktree | undefined> {
  const root = await nearestGit(cwd);
  const link = root && (await firstLine(join(root, '.git')));
  const gitDir = /^gitdir: (.+)$/.exec(link ?? '')?.[1];
  if (root === undefined || gitDir === undefined) return undefined;
  const own = resolve(root, gitDir.trim());
  const common = await firstLine(join(own, 'commondir'));
  if (common === undefined) return undefined;
  const commonDir = realPathIfThere(resolve(own, common.trim()));
  const [worktree, repository] = [realPathIfThere(root), dirname(commonDir)];
  if (!worktree.startsWith(repository + sep)) return undefined;
  return realPathIfThere(join(repository, '.git')) === commonDir ? { worktree, repository } : undefined;
}

async function nearestGit(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const exists = await stat(join(at, '.git')).then(
      () => true,
      () => false,
    );
    if (exists) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Undefined where there is no such file: a folder `.git` is an ordinary repository. */
async function firstLine(file: string): Promise<string | undefined> {
  const text = await readRegularText(file).catch(() => undefined);
  return text?.split(/\r?\n/, 1)[0];
}

async function firstIn(folder: string, problems: Problem[]): Promise<ContextFile | undefined> {
  const unread: string[] = [];
  for (const name of CONTEXT_FILE_NAMES) {
    const path = join(folder, name);
    if (await isOneOf(path, unread)) continue;
    const before = problems.length;
    const text = await readText(path, problems);
    if (text !== undefined) return { path, text };
    if (problems.length > before) unread.push(path);
  }
  return undefined;
}

/** Whether another spelling leads to the same file, as on disks that do not distinguish upper and lower case. */
async function isOneOf(path: string, others: readonly string[]): Promise<boolean> {
  for (const other of others) {
    if (other.toLowerCase() !== path.toLowerCase()) continue;
    const [one, two] = await Promise.all(
      [path, other].map(each => stat(each, { bigint: true }).catch(() => undefined)),
    );
    if (one !== undefined && one.dev === two?.dev && one.ino === two.ino) return true;
  }
  return false;
}

/** Undefined when there is no such file, or none that can be read, which is a problem. */
async function readText(path: string, problems: Problem[]): Promise<string | undefined> {
  try {
    const bytes = readSmallSync(path) ?? (await readRegular(path));
    if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8').replace(/^\uFEFF/, '');
    problems.push({ file: path, message: 'Instructions cannot be read: the file is not UTF-8 text.' });
    return undefined;
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
    if (!isAbsent) problems.push({ file: path, message: `Instructions cannot be read: ${messageOf(error)}` });
    return undefined;
  }
}

/** Texts that take the place of the system prompt's introduction, or follow it. */
export interface PromptTexts {
  readonly custom?: string;
  readonly append?: string;
}

/** Functions that decide what counts of what files and options say. */
export interface PromptChanges {
  readonly custom?: (found: string | undefined) => string | undefined;
  readonly append?: (found: readonly string[]) => readonly string[];
  readonly contextFiles?: (found: readonly ContextFile[]) => readonly ContextFile[];
}

/**
 * The content of pi's `SYSTEM.md` and `APPEND_SYSTEM.md`: of the workspace's `.pi`, else of the agent folder. In Restricted Mode
 * only the agent folder's are read. An empty file counts as an empty text and hides the other one; one that cannot be read is a
 * problem.
 */
export async function loadPromptTexts(
  sources: {
    readonly agentDir: string;
    readonly cwd: string;
    readonly includeProject: boolean;
  },
  problems: Problem[] = [],
): Promise<PromptTexts> {
  const { agentDir, cwd, includeProject } = sources;
  const folders = [...(includeProject ? [join(cwd, '.pi')] : []), agentDir];
  const [custom, append] = await Promise.all(
    ['SYSTEM.md', 'APPEND_SYSTEM.md'].map(name => firstText(folders, name, problems)),
  );
  return defined({ custom, append });
}

async function firstText(folders: readonly string[], name: string, problems: Problem[]): Promise<string | undefined> {
  for (const folder of folders) {
    const text = await readText(join(folder, name), problems);
    if (text !== undefined) return text.trim() === '' ? undefined : text.trim();
  }
  return undefined;
}
