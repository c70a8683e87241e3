import { lstat, mkdir, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { regainAccess } from '../../base/files/regain-access';
import { approvedOf, type Slot } from '../../hook-load/files/hook-slot';
import type { HookFile } from '../../hook-load/files/discover';
import { HookSource } from '../../hook-load/graph/hook-source';
import type { ApprovedContent } from '../../hook-load/graph/module-imports';
import { changedTarget, namesPath } from '../../hook-load/graph/resolve';
import { SourceReads } from '../../hook-load/graph/source-reads';

/**
 * Restores the approved version of a waiting hook on disk: restores its texts and the link to it, and deletes files
 * that were added. Lists that name hooks (in settings or a manifest) stay unchanged.
 * @throws Error that names the file that cannot be restored; the files before it are restored then
 */
export async function restoreHook(slot: Slot): Promise<void> {
  const { file, waiting } = slot;
  if (waiting === 'appeared') {
    await removePlanted(file);
    return;
  }
  const approved = approvedOf(slot);
  if (approved === undefined) throw new Error(`The record of what was approved of ${file.path} is missing.`);
  for (const path of hidingFiles(approved)) await rm(path, { force: true });
  for (const { path, text, hash } of approved.sources) {
    if (HookSource.readIfPossible(path)?.hash !== hash) await putBack(path, text);
  }
  await linkAgain(file);
  refuseMisled(approved);
}

/** Files that imports by path find before the approved one. A file that was there before the hook asked for it is none. */
function hidingFiles({ sources, imports }: ApprovedContent): readonly string[] {
  const approved = new Set(sources.map(({ path }) => path));
  const { resolve } = new SourceReads();
  return imports.flatMap(each => {
    const now = each.to === undefined && each.late === true ? undefined : changedTarget(each, resolve);
    return now?.file === undefined || now.manifests.length > 0 || !namesPath(each.specifier) || approved.has(now.file)
      ? []
      : [now.file];
  });
}

/** @throws Error that names the import that still leads elsewhere, because of a file that may be older than the change */
function refuseMisled({ imports }: ApprovedContent): void {
  const { resolve } = new SourceReads();
  for (const each of imports) {
    const now = changedTarget(each, resolve);
    if (now === undefined) continue;
    const where = now.file ?? 'no file';
    throw new Error(`${each.specifier}, imported by ${each.from}, leads to ${where}. Put back what it led to before.`);
  }
}

/** Deletes the entry of a new hook, except one that settings name, since the file may be older than its name there. */
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
  // If an agent replaced a folder of the path by a link, the text would overwrite a file elsewhere.
  if ((await realpath(folder)) !== folder) {
    throw new Error(`A folder of ${path} is now a link, so nothing was restored.`);
  }
  await regainAccess(path);
  const there = await lstat(path).catch(() => undefined); // The file does not exist.
  if (there !== undefined && !there.isFile()) await rm(path, { recursive: true });
  await replaceFile(path, text);
}

async function linkAgain({ entry, path }: HookFile): Promise<void> {
  const leads = await realpath(entry).catch(() => undefined); // It does not exist, or its target does not.
  if (leads === path) return;
  await rm(entry, { force: true, recursive: true });
  await mkdir(dirname(entry), { recursive: true });
  await symlink(relative(dirname(entry), path), entry);
}
