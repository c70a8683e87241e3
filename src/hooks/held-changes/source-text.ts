import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { hashOf } from '../load/compile/compile-cache';

/** No hook is longer, in bytes. */
const LONGEST = 16 * 1024 * 1024;

/** Not there on Windows, which has no files that wait for a writer. */
const NON_BLOCKING = (constants as { readonly O_NONBLOCK?: number }).O_NONBLOCK ?? 0;

/**
 * The text of a file of a hook, read as the loader reads it; undefined for what is gone, cannot be read, is not a plain file
 * or is too long to be a hook. Never waits for a writer and never throws.
 */
export function sourceText(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | NON_BLOCKING);
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile() || size > LONGEST) return undefined;
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return undefined; // Gone or unreadable: like no text that there ever was.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** sha256 of {@link sourceText}, hexadecimal. */
export function sourceHash(path: string): string | undefined {
  const text = sourceText(path);
  return text === undefined ? undefined : hashOf(text);
}

/** The path with links resolved; itself when it is gone. */
export function realPathIfThere(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // Gone meanwhile: nothing will be found under the name either.
  }
}
