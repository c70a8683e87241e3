import { isUtf8 } from 'node:buffer';

/** UTF-16 with a mark at its start, by the order of its bytes. */
export type Utf16 = 'utf-16le' | 'utf-16be';

/** How the bytes of a file are text. `unknown`: an older encoding (Shift-JIS, GBK, CP1252, …), or no text at all. */
export type TextEncoding = 'utf-8' | Utf16 | 'unknown';

const BYTES_OF_MARK = 2;

/** The UTF-16 of a file that begins with these bytes; undefined for all others. UTF-32 begins as UTF-16 does. */
export function utf16Of(head: Buffer): Utf16 | undefined {
  const [first, second, third, fourth] = head;
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? undefined : 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

export function encodingOf(bytes: Buffer): TextEncoding {
  if (isUtf8(bytes)) return 'utf-8';
  return (bytes.length % 2 === 0 ? utf16Of(bytes) : undefined) ?? 'unknown';
}

/** The text of a file, with its mark. Undefined if the bytes are neither UTF-8 nor UTF-16 with a mark. */
export function unicodeText(bytes: Buffer): string | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === 'unknown') return undefined;
  return encoding === 'utf-8'
    ? bytes.toString()
    : (encoding === 'utf-16be' ? swapped(bytes) : bytes).toString('utf16le');
}

/** The bytes of a file; those of UTF-16 with a mark as UTF-8 without one. */
export function asUtf8(bytes: Buffer): Buffer {
  const encoding = utf16Of(bytes);
  if (encoding === undefined) return bytes;
  const text = bytes.subarray(BYTES_OF_MARK, bytes.length - (bytes.length % 2));
  return Buffer.from((encoding === 'utf-16be' ? swapped(text) : text).toString('utf16le'));
}

/** The text as UTF-16 with a mark. */
export function toUtf16(text: string, encoding: Utf16): Buffer {
  const bytes = Buffer.from(text.startsWith('\ufeff') ? text : `\ufeff${text}`, 'utf16le');
  return encoding === 'utf-16be' ? swapped(bytes) : bytes;
}

/** UTF-16 in the other order of its bytes, whose number is even. */
export function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}
