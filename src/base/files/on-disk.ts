import { accessSync, realpathSync, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';

/** Whether there is something under this path that can be reached. */
export function isReachable(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false; // Missing or out of reach: whoever opens it says which.
  }
}

/** {@link isReachable}, without making the caller wait. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Whether the path is a file, or a link to one, that can be reached. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // A link that leads to itself, or a folder on the way that may not be searched.
  }
}

/** Whether the path is an existing folder that can be read. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // It does not exist or is not readable: nothing in it can be used.
  }
}

/** In bytes; 0 when there is no such file. */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0; // The file does not exist yet.
  }
}

/** {@link sizeOf}, for callers that cannot wait. */
export function sizeOfSync(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The path with symbolic links resolved; the path itself if the file does not exist. */
export function realPathIfThere(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // The file does not exist, so the caller finds nothing under this name.
  }
}
