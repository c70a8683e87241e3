import { stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { realPathIfThere } from '../base/on-disk';
import { readRegularText } from '../base/regular-file';

/** A linked worktree of git that is inside the repository it belongs to; true paths of both. */
export interface NestedWorktree {
  readonly worktree: string;
  readonly repository: string;
}

/** The nested worktree that a folder is in; undefined in every other place, such as a submodule or a bare repository. */
export async function nestedWorktree(cwd: string): Promise<NestedWorktree | undefined> {
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
