import { watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readRegularTextSync } from '../../../base/files/regular-file';
import { toDisposable, type Disposable } from '../../../base/disposable';
import { isFolder } from '../../../base/files/on-disk';

/** The name of a detached head, as in pi's footer. */
const DETACHED = 'detached';

/** The branch that is checked out where `cwd` (absolute) lies; null outside of a repository. Reads two small files. */
export function gitBranch(cwd: string): string | null {
  const gitDir = gitDirOf(cwd);
  const head = gitDir === undefined ? undefined : gitText(join(gitDir, 'HEAD'));
  if (head === undefined) return null;
  const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(head.trim()) ?? [];
  return branch ?? DETACHED;
}

/** Calls back when another branch is checked out, until disposed. Nothing happens outside of a repository. */
export function watchGitBranch(cwd: string, changed: () => void): Disposable {
  const gitDir = gitDirOf(cwd);
  if (gitDir === undefined) return toDisposable(() => undefined);
  let known = gitBranch(cwd);
  try {
    // Git replaces the file HEAD: only a watcher of the folder sees that.
    const watcher = watch(gitDir, { persistent: false }, (_event, name) => {
      if (name !== null && name !== 'HEAD') return;
      const now = gitBranch(cwd);
      if (now === known) return;
      known = now;
      changed();
    });
    watcher.on('error', () => watcher.close());
    return toDisposable(() => watcher.close());
  } catch {
    return toDisposable(() => undefined); // The system has no watches left: the branch can still be read.
  }
}

/** The repository's own folder; of a linked work tree the one that its `.git` file names. */
function gitDirOf(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    if (isFolder(entry)) return entry;
    const [, named] = /^gitdir: (.+)$/m.exec(gitText(entry) ?? '') ?? [];
    if (named !== undefined) return resolve(folder, named.trim());
    if (dirname(folder) === folder) return undefined;
  }
}

function gitText(path: string): string | undefined {
  try {
    return readRegularTextSync(path);
  } catch {
    return undefined; // Missing, or a folder.
  }
}
