import { sep } from 'node:path';

/** A path of this system with `/` as the separator. */
export function slashed(path: string): string {
  return path.split(sep).join('/');
}
