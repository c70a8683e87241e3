import { statSync, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { devNull, homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { realPathIfThere } from '../../../base/files/on-disk';
import { readRegularTextSync } from '../../../base/files/regular-file';

/** The ignore files that ripgrep reads in each folder. */
const IN_FOLDERS = ['.gitignore', '.ignore', '.rgignore'] as const;
/** In bytes. No person wrote a larger one. */
const MOST_BYTES = 16 * 1024 * 1024;
/** How long ripgrep may run before the folders below are looked at, ms: nearly all searches end earlier. */
const FIRST_LOOK_MS = 300;

/**
 * The first file that ripgrep reads for a search in this folder, apart from the folders below, and that may have no end: a pipe,
 * a device, or a very large file. It looks at the folder and those above, their repositories, and git's own settings.
 */
export function oddIgnoreFileAbove(folder: string, { env = process.env, home = homedir() } = {}): string | undefined {
  const above: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    above.push(at);
    if (dirname(at) === at) break;
  }
  const files = [...above.flatMap(filesOf), ...globalFiles(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), home)];
  return files.find(isOdd);
}

/**
 * The first such file in the folders below, ignored ones too; it waits a moment before it looks. Undefined when there is none;
 * rejects when the signal fires.
 */
export async function oddIgnoreFileBelow(folder: string, signal: AbortSignal): Promise<string | undefined> {
  await pause(FIRST_LOOK_MS, undefined, { signal });
  const pending = [folder];
  for (let at = pending.shift(); at !== undefined; at = pending.shift()) {
    signal.throwIfAborted();
    // A folder that cannot be read is skipped, as ripgrep does.
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(({ name }) => name));
    const odd = [...IN_FOLDERS, '.git'].some(name => names.has(name)) ? filesOf(at).find(isOdd) : undefined;
    if (odd !== undefined) return odd;
    for (const entry of entries) if (entry.isDirectory() && entry.name !== '.git') pending.push(join(at, entry.name));
  }
  return undefined;
}

function filesOf(folder: string): readonly string[] {
  return [...IN_FOLDERS.map(name => join(folder, name)), ...repositoryFiles(join(folder, '.git'))];
}

/** What ripgrep reads of a repository; `.git` of a worktree is a file that names the folder. */
function repositoryFiles(git: string): readonly string[] {
  const info = statsOf(git);
  if (info === undefined) return [];
  if (info.isDirectory()) return [join(git, 'info', 'exclude')];
  const own = /^gitdir: (.+)$/m.exec(readIfPossible(git))?.[1];
  if (own === undefined) return [git];
  const common = join(resolve(dirname(git), own), 'commondir');
  return [git, common, join(resolve(dirname(common), readIfPossible(common).trim()), 'info', 'exclude')];
}

/** Git's settings of the user, and the ignore file that they name. */
function globalFiles(config: string, home: string): readonly string[] {
  const settings = [join(home, '.gitconfig'), join(config, 'git', 'config')];
  const named = settings.flatMap(
    file => /^\s*excludesfile\s*=\s*"?([^"\n]+)"?\s*$/im.exec(readIfPossible(file))?.[1] ?? [],
  );
  const files = named.map(file => file.trim().replace(/^~(?=\/)/, home));
  return [...settings, join(config, 'git', 'ignore'), ...files];
}

function isOdd(path: string): boolean {
  const info = statsOf(path);
  if (info === undefined || info.isDirectory() || info.isSocket()) return false; // A socket cannot be opened.
  return info.isFile() ? info.size > MOST_BYTES : realPathIfThere(path) !== devNull;
}

/** Undefined for a file that cannot be reached. Ripgrep does not read it either. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // A link that leads to itself, or a folder on the way that may not be searched.
  }
}

/** Empty if it cannot be read. */
function readIfPossible(file: string): string {
  try {
    return readRegularTextSync(file, MOST_BYTES);
  } catch {
    return '';
  }
}
