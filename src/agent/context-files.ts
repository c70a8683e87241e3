import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const NAMES = ['AGENTS.md', 'CLAUDE.md'];

export interface ContextFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Instruction files for the system prompt: the agent folder's first, then from the file system's root down to the
 * workspace, one per folder (`AGENTS.md`, else `CLAUDE.md`). In Restricted Mode only the agent folder's is read.
 */
export async function loadContextFiles(sources: {
  readonly agentDir: string;
  readonly cwd: string;
  readonly includeProject: boolean;
}): Promise<readonly ContextFile[]> {
  const folders = [sources.agentDir];
  if (sources.includeProject) folders.push(...ancestors(sources.cwd));
  const found = await Promise.all(folders.map(firstIn));
  return found.filter(file => file !== undefined);
}

function ancestors(folder: string): string[] {
  const chain: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    chain.push(at);
    if (dirname(at) === at) return chain.reverse();
  }
}

async function firstIn(folder: string): Promise<ContextFile | undefined> {
  for (const name of NAMES) {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8').catch(() => undefined); // missing or unreadable: there is none
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** Texts that take the place of the system prompt's introduction, or follow it. */
export interface PromptTexts {
  readonly custom?: string;
  readonly append?: string;
}

/**
 * What pi's `SYSTEM.md` and `APPEND_SYSTEM.md` say: the one in the workspace's `.pi`, else the one in the agent folder. In
 * Restricted Mode only the agent folder's are read. A file without words says nothing.
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
    const text = await readFile(join(folder, name), 'utf8').catch(() => ''); // missing or unreadable: there is none
    if (text.trim() !== '') return text.trim();
  }
  return undefined;
}
