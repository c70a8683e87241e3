import { chmod, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Gives a file of the person its rights to be read and written again, and its folder that to be used, where an agent took
 * them away. Other bits of the mode stay. Where that is not possible, nothing happens: the write that follows says why.
 */
export async function regainAccess(path: string): Promise<void> {
  for (const [place, rights] of [
    [dirname(path), 0o700],
    [path, 0o600],
  ] as const) {
    const info = await lstat(place).catch(() => undefined); // It does not exist, or its folder is closed.
    if (info === undefined || !(info.isFile() || info.isDirectory()) || (info.mode & rights) === rights) continue;
    await chmod(place, (info.mode & 0o7777) | rights).catch(() => undefined);
  }
}
