import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../agent/tools/result';
import type { Rollback } from './rollback';

/**
 * Parts of the names of temporary folders beside the target: `NEW` will replace the target, `OLD` was replaced by it.
 */
const NEW = '.hookline-new-';
const OLD = '.hookline-old-';

/** Makes a folder and missing folders above it. If a later step fails, those of them that are empty are removed. */
export async function makeFolder(path: string, steps: Rollback): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  steps.ifItFails(() => removeEmpty(path, dirname(first)));
}

/** Removes a folder and the folders above it as long as they are empty, up to `end`, which is not removed. */
export async function removeEmpty(path: string, end: string): Promise<void> {
  for (let folder = path; folder !== end && folder !== dirname(folder); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue;
      return; // The folder is not empty.
    }
  }
}

/**
 * Makes a new folder beside `target`, with a copy of the content of `target` when `copied` is true; resolves with its
 * path. First it repairs what a killed process left behind.
 */
export async function stageFolder(
  target: string,
  { copied, signal, steps }: { readonly copied: boolean; readonly signal: AbortSignal; readonly steps: Rollback },
): Promise<string> {
  await makeFolder(dirname(target), steps);
  await recover(target);
  const staged = siblingPath(target, NEW);
  steps.ifItFails(() => remove(staged));
  if (!copied || !(await entryExists(target))) {
    await mkdir(staged);
    return staged;
  }
  const unlessStopped = (): boolean => {
    signal.throwIfAborted();
    return true;
  };
  await cp(target, staged, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter: unlessStopped,
  });
  return staged;
}

/** Replaces `target` by a staged folder. If a later step fails, the old `target` is restored. */
export async function putInPlace(staged: string, target: string, steps: Rollback): Promise<void> {
  await moveAway(target, steps);
  await rename(staged, target);
  steps.ifItFails(() => remove(target));
}

/** Removes a folder; if a later step fails, it is restored. A folder that does not exist is not an error. */
export async function moveAway(target: string, steps: Rollback): Promise<void> {
  if (!(await entryExists(target))) return;
  const old = siblingPath(target, OLD);
  await rename(target, old);
  steps.ifItFails(() => rename(old, target));
  steps.whenDone(() => remove(old));
}

/** Writes a file unless it exists. If a later step fails, the new file is removed. */
export async function writeIfMissing(path: string, text: string, steps: Rollback): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw error;
  }
  steps.ifItFails(() => rm(path, { force: true }));
}

/** The real path of a folder, or `path` if it does not exist: npm writes wrong paths into its lock if given a link. */
export async function realFolder(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Whether something has this path. A link counts, even if it leads nowhere. */
export async function entryExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Repairs what a killed process left behind. If it was killed between the two renames, only the old folder exists and
 * is moved back. Other temporary folders are removed.
 */
async function recover(target: string): Promise<void> {
  const [folder, name] = [dirname(target), basename(target)];
  for (const entry of (await readdir(folder)).sort()) {
    if (entry.startsWith(`.${name}${OLD}`) && !(await entryExists(target))) await rename(join(folder, entry), target);
    else if (entry.startsWith(`.${name}${OLD}`) || entry.startsWith(`.${name}${NEW}`)) {
      await remove(join(folder, entry));
    }
  }
}

function siblingPath(target: string, mark: string): string {
  return join(dirname(target), `.${basename(target)}${mark}${randomBytes(4).toString('hex')}`);
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
