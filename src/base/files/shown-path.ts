import { isAbsolute, relative } from 'node:path';
import { slashed } from './slashed';

/** The path of a file from a folder on, with slashes; the absolute path when the file is elsewhere. Both are absolute. */
export function shownPath(path: string, folder: string): string {
  const rest = relative(folder, path);
  return rest === '' || rest.startsWith('..') || isAbsolute(rest) ? path : slashed(rest);
}
