import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nestedWorktree } from './nested-worktree';
import { trueName } from './resources/resource-file';

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
 * same name, which it has itself. In Restricted Mode only the agent folder's is read.
 */
export async function loadContextFiles(sources: {
  readonly agentDir: string;
  readonly cwd: string;
  readonly includeProject: boolean;
}): Promise<readonly ContextFile[]> {
  const { agentDir, cwd, includeProject } = sources;
  const folders = [agentDir, ...(includeProject ? ancestors(cwd) : [])];
  const [found, hidden] = await Promise.all([
    Promise.all(folders.map(firstIn)),
    includeProject ? hiddenByWorktree(cwd) : undefined,
  ]);
  const seen = new Set<string>();
  const files: ContextFile[] = [];
  for (const file of found) {
    if (file === undefined) continue;
    const folder = await trueName(dirname(file.path));
    const name = await trueName(file.path);
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
  const own = nested && (await firstIn(nested.worktree));
  return own && join(nested.repository, basename(own.path));
}

async function firstIn(folder: string): Promise<ContextFile | undefined> {
  for (const name of CONTEXT_FILE_NAMES) {
    const path = join(folder, name);
    const text = await readText(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** Undefined when there is no such file, or none that can be read. */
async function readText(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text?.replace(/^\uFEFF/, '');
}

/** Texts that take the place of the system prompt's introduction, or follow it. */
export interface PromptTexts {
  readonly custom?: string;
  readonly append?: string;
}

/**
 * What pi's `SYSTEM.md` and `APPEND_SYSTEM.md` say: the one in the workspace's `.pi`, else the one in the agent folder. In
 * Restricted Mode only the agent folder's are read. A file without words says nothing, and stands in the way of the other.
 */
export async function loadPromptTexts(sources: {
  readonly agentDir: string;
  readonly cwd: string;
  readonly includeProject: boolean;
}): Promise<PromptTexts> {
  const { agentDir, cwd, includeProject } = sources;
  const folders = [...(includeProject ? [join(cwd, '.pi')] : []), agentDir];
  const [custom, append] = await Promise.all(['SYSTEM.md', 'APPEND_SYSTEM.md'].map(name => firstText(folders, name)));
  return { ...(custom === undefined ? {} : { custom }), ...(append === undefined ? {} : { append }) };
}

async function firstText(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const text = await readText(join(folder, name));
    if (text !== undefined) return text.trim() === '' ? undefined : text.trim();
  }
  return undefined;
}
