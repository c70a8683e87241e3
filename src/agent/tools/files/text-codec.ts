import { isAscii, isUtf8 } from 'node:buffer';
import { utf16Of } from './text-encoding';

/** In bytes. Larger files do not count as text in the editor's encoding. */
export const MOST_CODED_BYTES = 256 * 1024 * 1024;

/**
 * An encoding of the editor for a file that is not Unicode. A character that it lacks, or bytes that mean nothing in it, become
 * another character.
 */
export interface TextCodec {
  /** As the editor names it. */
  readonly name: string;
  /** Rejects if the bytes are not text. */
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
    return undefined; // The bytes are not text.
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
