import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../agent/tools/result';
import type { Rollback } from './rollback';

/** In the names of folders that are made beside those which they are about to replace, or were replaced by. */
const NEW = '.hookline-new-';
const OLD = '.hookline-old-';

/** Makes a folder and those above it; if a later step fails, those that are still empty go again. */
export async function makeFolder(path: string, steps: Rollback): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  steps.ifItFails(() => removeEmpty(path, dirname(first)));
}

/** Removes a folder and those above it as long as they are empty, up to `end`, which stays. */
export async function removeEmpty(path: string, end: string): Promise<void> {
  for (let folder = path; folder !== end && folder !== dirname(folder); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue;
      return; // Something else is in it.
    }
  }
}

/**
 * A new folder beside `target`, with a copy of what `target` holds when `copied` is true; resolves with its path. What a
 * process that was killed left behind is brought in order first.
 */
export async function stageFolder(
  target: string,
  { copied, signal, steps }: { readonly copied: boolean; readonly signal: AbortSignal; readonly steps: Rollback },
): Promise<string> {
  await makeFolder(dirname(target), steps);
  await recover(target);
  const staged = besides(target, NEW);
  steps.ifItFails(() => remove(staged));
  if (!copied || !(await exists(target))) {
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

/** Puts a staged folder in the place of `target`, which comes back when a later step fails. */
export async function putInPlace(staged: string, target: string, steps: Rollback): Promise<void> {
  await moveAway(target, steps);
  await rename(staged, target);
  steps.ifItFails(() => remove(target));
}

/** Takes a folder away; it comes back when a later step fails. One that does not exist is no error. */
export async function moveAway(target: string, steps: Rollback): Promise<void> {
  if (!(await exists(target))) return;
  const old = besides(target, OLD);
  await rename(target, old);
  steps.ifItFails(() => rename(old, target));
  steps.whenDone(() => remove(old));
}

/** Writes a file that does not exist yet; one that is there stays as it is. */
export async function writeIfMissing(path: string, text: string, steps: Rollback): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw error;
  }
  steps.ifItFails(() => rm(path, { force: true }));
}

/** The folder that a link leads to, else the path itself: npm writes wrong paths into its lock when it is given a link. */
export async function realFolder(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Between two renames a process may have been killed: then only the old folder is there, and it goes back. */
async function recover(target: string): Promise<void> {
  const [folder, name] = [dirname(target), basename(target)];
  for (const entry of (await readdir(folder)).sort()) {
    if (entry.startsWith(`.${name}${OLD}`) && !(await exists(target))) await rename(join(folder, entry), target);
    else if (entry.startsWith(`.${name}${OLD}`) || entry.startsWith(`.${name}${NEW}`)) {
      await remove(join(folder, entry));
    }
  }
}

function besides(target: string, mark: string): string {
  return join(dirname(target), `.${basename(target)}${mark}${randomBytes(4).toString('hex')}`);
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
