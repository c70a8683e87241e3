import { readRegularTextSync } from '../../base/regular-file';
import { hashOf } from '../load/compile/hash-of';

/**
 * The text of a hook file, read as the loader reads it. Undefined if it does not exist, cannot be read, is not a
 * regular file or is too long. Never waits for a writer and never throws.
 */
export function sourceText(path: string): string | undefined {
  try {
    return readRegularTextSync(path).replace(/^\uFEFF/, '');
  } catch {
    return undefined; // A missing or unreadable file equals no approved text.
  }
}

/** sha256 of {@link sourceText}, hexadecimal; undefined if there is no text. */
export function sourceHash(path: string): string | undefined {
  const text = sourceText(path);
  return text === undefined ? undefined : hashOf(text);
}
