import { isAscii, isUtf8 } from 'node:buffer';
import { utf16Of } from './text-encoding';

/** Larger files are not taken for text of the editor's encoding. Bytes. */
export const MOST_CODED_BYTES = 256 * 1024 * 1024;

/** An encoding that the editor has for a file, and that is not Unicode. Characters without bytes, and the reverse, become others. */
export interface TextCodec {
  /** As the editor names it. */
  readonly name: string;
  /** Rejects for bytes that are no text. */
  decode(bytes: Buffer): Promise<string>;
  encode(text: string): Promise<Buffer>;
}

/** The encoding of a file by its absolute path; undefined: Unicode, or not known. */
export type CodecOf = (absolutePath: string) => TextCodec | undefined;

/**
 * The bytes as UTF-8 if the file is to be read and written by the codec: they are ASCII, or no Unicode and exactly what the codec
 * makes of their text. Undefined for all others.
 */
export async function decodeExactly(codec: TextCodec | undefined, bytes: Buffer): Promise<Buffer | undefined> {
  if (codec === undefined || isAscii(bytes)) return codec && bytes;
  if (isUtf8(bytes) || utf16Of(bytes) !== undefined) return undefined;
  try {
    const text = await codec.decode(bytes);
    return (await codec.encode(text)).equals(bytes) ? Buffer.from(text) : undefined;
  } catch {
    return undefined; // No text.
  }
}

/**
 * The bytes of a text. `deed` is what the error begins with.
 * @throws Error that names the first character without bytes in this encoding
 */
export async function encodeExactly(codec: TextCodec, text: string, deed: string): Promise<Buffer> {
  if (isAscii(Buffer.from(text))) return Buffer.from(text);
  const bytes = await codec.encode(text);
  const readBack = await codec.decode(bytes);
  if (readBack === text) return bytes;
  const found = Array.from(readBack);
  const lacking = Array.from(text).find((character, index) => character !== found[index]) ?? '';
  const code = lacking.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
  throw new Error(
    `${deed}: ${codec.name}, the encoding that the editor has for it, has no character "${lacking}" (U+${code}). ` +
      'Use other characters, or convert the file to UTF-8 first.',
  );
}
