import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { hashOf } from '../load/compile/hash-of';

/** The largest size of a hook file, in bytes. */
const LONGEST = 16 * 1024 * 1024;

/** The flag does not exist on Windows, where opening a file never waits for a writer. */
const NON_BLOCKING = (constants as { readonly O_NONBLOCK?: number }).O_NONBLOCK ?? 0;

/**
 * The text of a hook file, read as the loader reads it. Undefined if it does not exist, cannot be read, is not a
 * regular file or is too long. Never waits for a writer and never throws.
 */
export function sourceText(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | NON_BLOCKING);
    const info = fstatSync(file);
    if (!info.isFile() || info.size > LONGEST) return undefined;
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return undefined; // A missing or unreadable file equals no approved text.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** sha256 of {@link sourceText}, hexadecimal; undefined if there is no text. */
export function sourceHash(path: string): string | undefined {
  const text = sourceText(path);
  return text === undefined ? undefined : hashOf(text);
}
