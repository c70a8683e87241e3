import { chmod, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Gives the person the rights again that a write of this file needs, where an agent took them away: of a regular file, to read
 * and write it; of its folder, to search it, and to make the file if there is none. Other bits of the mode stay. Where that is
 * not possible, nothing happens: the write that follows says why.
 */
export async function regainAccess(path: string): Promise<void> {
  const folder = dirname(path);
  await addRights(folder, 0o100);
  const there = await lstat(path).catch(() => undefined); // It does not exist, or its folder is closed.
  if (there?.isFile() === true) await addRights(path, 0o600);
  else await addRights(folder, 0o300);
}

/** Does not follow a link. */
async function addRights(path: string, rights: number): Promise<void> {
  const info = await lstat(path).catch(() => undefined);
  if (info === undefined || info.isSymbolicLink() || (info.mode & rights) === rights) return;
  await chmod(path, (info.mode & 0o7777) | rights).catch(() => undefined);
}
