import type { DialectId } from '../dialect-id';
import type { Dialect } from '../dialect';
import { ext } from './ext';
import { omp } from './omp';
import { pi } from './pi';
import { tree } from './tree';
import { v1 } from './v1';
import { v2 } from './v2';

/** All dialects. */
export const DIALECTS: { readonly [I in DialectId]: Dialect } = { v1, v2, tree, omp, ext, pi };

/** The dialect that a comment `// @pi-dialect` or a setting names; undefined for any other word. */
export function dialectNamed(name: string): DialectId | undefined {
  return Object.values(DIALECTS).find(dialect => dialect.id === name.toLowerCase())?.id;
}

/** Whether files of this dialect are hooks from before extensions existed; _Convert_ can turn them into extensions. */
export function isOlderThanExtensions(id: DialectId): boolean {
  return id !== 'ext' && id !== 'pi';
}
