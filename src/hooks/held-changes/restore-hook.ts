import { lstat, mkdir, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { replaceFile } from '../../agent/tools/files/replace-file';
import type { Slot } from '../host/hook-slot';
import type { HookFile } from '../host/discover';
import { changedFiles } from './hold-changes';
import { sourceHash } from './source-text';

/**
 * Puts back on disk what was approved of a hook that waits: its texts, the link to it, and the absence of what was planted.
 * What names hooks (a list of settings, a manifest) stays as it is.
 * @throws Error naming the file that cannot be put back; those before it are back then
 */
export async function restoreHook({ file, live, waiting }: Slot): Promise<void> {
  if (waiting === 'appeared') {
    await removePlanted(file);
    return;
  }
  if (live === undefined) throw new Error(`The record of what was approved of ${file.path} is missing.`);
  const { sources } = live.module;
  for (const path of changedFiles(live.module)) {
    if (!sources.some(source => source.path === path)) await rm(path, { force: true }); // It was before another one.
  }
  for (const { path, text, hash } of sources) {
    if (sourceHash(path) !== hash) await putBack(path, text);
  }
  await linkAgain(file);
}

/** A file that is only named again may have been there before. */
async function removePlanted({ entry, origin, manifest, package: owner }: HookFile): Promise<void> {
  if (manifest !== undefined || owner !== undefined) {
    const where = manifest ?? owner?.source ?? '';
    throw new Error(`${where} names ${entry} as an extension. Put back what it named before; no file was deleted.`);
  }
  if (origin !== 'settings') await rm(entry, { force: true });
}

async function putBack(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  // Through a link that was planted on the way, the text would be written over somebody else's file.
  if ((await realpath(folder)) !== folder) throw new Error(`${path} is behind a link now: nothing was restored.`);
  const there = await lstat(path).catch(() => undefined); // Nothing is there.
  if (there !== undefined && !there.isFile()) await rm(path, { recursive: true });
  await replaceFile(path, text);
}

async function linkAgain({ entry, path }: HookFile): Promise<void> {
  const leads = await realpath(entry).catch(() => undefined); // It is gone, or leads nowhere.
  if (leads === path) return;
  await rm(entry, { force: true, recursive: true });
  await mkdir(dirname(entry), { recursive: true });
  await symlink(relative(dirname(entry), path), entry);
}
