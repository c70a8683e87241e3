import { sep } from 'node:path';

/** Whether an absolute path is the folder or is inside it; both with links resolved in the same way. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
