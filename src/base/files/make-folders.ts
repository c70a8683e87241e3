import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isCode } from '../errors';
import { isReachable } from './on-disk';

/** What makes folders and looks at them; tests have others. */
type Disk = Readonly<Record<'mkdir' | 'access', (path: string) => Promise<unknown>>>;

const DISK: Disk = {
  mkdir: path => mkdir(path, { recursive: true }),
  access: path => access(path, constants.W_OK),
};

/**
 * Makes a folder and those above it, where they are missing. Rejects with the system's reason. Node says ENOENT when the disk can
 * only be read; then the reason is that of the nearest folder that is there.
 */
export async function makeFolders(path: string, disk = DISK): Promise<void> {
  try {
    await disk.mkdir(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) await disk.access(nearestAbove(path));
    throw error;
  }
}

function nearestAbove(path: string): string {
  const above = dirname(path);
  return above === path || isReachable(above) ? above : nearestAbove(above);
}
