import { defined } from '../../../../base/defined';
import { diffReplacements, type Replacement } from './diff';
import type { TextEdit } from './edit-arguments';
import { toLf } from './edit-match';
import { planEdits, type EditRequest } from './edit-plan';
import type { TextCodec } from '../text-codec';
import { encodingOf, swapped, type TextEncoding } from '../text-encoding';
import { countNewlines } from '../../truncate';

const BOM = '\ufeff';

/** Details of an `edit` result (docs/dialects.md, D1). */
export interface EditToolDetails {
  readonly diff: string;
  /** The change as a unified patch. */
  readonly patch: string;
  /** 1-based line of the first change in the new file. */
  readonly firstChangedLine?: number;
}

/** New content as pieces of bytes, so that a large file is not encoded again, and as text for those who need text. */
export interface NewContent {
  readonly pieces: readonly Buffer[];
  readonly encoding: TextEncoding;
  readonly text: () => string;
}

/**
 * What an edit makes of the bytes of a file. `codec`: the encoding that the editor uses for it, which errors name.
 * @throws Error with the text for the model if the edit does not fit the file
 */
export function editedContent(
  found: Buffer,
  { path, edits }: EditRequest,
  codec?: TextCodec,
): { readonly content: NewContent; readonly details: EditToolDetails } {
  const encoding = encodingOf(found);
  const bytes = encoding === 'utf-16be' ? swapped(found) : found;
  const code = CODES[encoding];
  const text = bytes.toString(code);
  const bom = text.startsWith(BOM) ? BOM : '';
  const before = text.slice(bom.length);
  const coded = edits.map(({ oldText, newText }) => ({
    oldText: recode(oldText, code),
    newText: recode(newText, code),
  }));
  const unknown = (): Error => unknownEncoding(path, codec);
  if (encoding === 'unknown') refuseUnknown(before, coded, unknown);
  const replacements = planEdits(before, coded, path);
  if (encoding === 'unknown') refuseGuessed(before, coded, replacements, unknown);
  const byteAt = byteOffsets(before, Buffer.byteLength(bom, code), code);
  const countLines = (from: number, to: number): number =>
    code === 'utf16le'
      ? before.slice(from, to).split('\n').length - 1
      : countNewlines(bytes.subarray(byteAt(from), byteAt(to)));
  const { diff, patch, firstChangedLine } = diffReplacements(before, replacements, {
    path: recode(path, code),
    countLines,
  });
  const pieces = spliced(replacements, {
    cut: (from, to) => bytes.subarray(from === 0 ? 0 : byteAt(from), to === undefined ? undefined : byteAt(to)),
    insert: text => Buffer.from(text, code),
  });
  const readable = (text: string): string => (code === 'latin1' ? Buffer.from(text, code).toString('utf8') : text);
  return {
    content: {
      pieces: encoding === 'utf-16be' ? pieces.map(swapped) : pieces,
      encoding,
      text: () =>
        bom + spliced(replacements, { cut: (from, to) => before.slice(from, to), insert: text => text }).join(''),
    },
    details: { diff: readable(diff), patch: readable(patch), ...defined({ firstChangedLine }) },
  };
}

type Code = 'utf8' | 'utf16le' | 'latin1';

/** How the bytes are read. Bytes of an unknown encoding stay as they are if each is read as one character. */
const CODES: Readonly<Record<TextEncoding, Code>> = {
  'utf-8': 'utf8',
  'utf-16le': 'utf16le',
  'utf-16be': 'utf16le',
  unknown: 'latin1',
};

// eslint-disable-next-line no-control-regex -- the whole of ASCII is meant
const NOT_ASCII = /[^\u0000-\u007f]/;

/**
 * Throws for an edit whose characters have unknown bytes in this file. Those of an old text that the file has as UTF-8 are
 * known: the file is UTF-8 but for other places.
 */
function refuseUnknown(text: string, coded: readonly TextEdit[], unknown: () => Error): void {
  const plain = toLf(text);
  const isKnown = ({ oldText, newText }: TextEdit): boolean =>
    NOT_ASCII.test(oldText) ? plain.includes(toLf(oldText)) : !NOT_ASCII.test(newText);
  if (!coded.every(isKnown)) throw unknown();
}

/** Throws where an old text was found only because bytes of an unknown encoding were taken for similar characters. */
function refuseGuessed(
  text: string,
  coded: readonly TextEdit[],
  replacements: readonly Replacement[],
  unknown: () => Error,
): void {
  const isExact = ({ start, end }: Replacement): boolean => {
    const found = toLf(text.slice(start, end));
    return !NOT_ASCII.test(found) || coded.some(({ oldText }) => toLf(oldText) === found);
  };
  if (!replacements.every(isExact)) throw unknown();
}

function unknownEncoding(path: string, codec: TextCodec | undefined): Error {
  const problem =
    codec === undefined
      ? 'it is not UTF-8, and its encoding is not known'
      : `it is neither UTF-8 nor ${codec.name}, the encoding that the editor has for it`;
  return new Error(
    `Cannot edit ${path}: ${problem}. Use only ASCII characters in the edit, or convert the file to UTF-8 first.`,
  );
}

/** The kept and the inserted parts in order, in the form that the functions return. The first piece begins at 0. */
function spliced<P>(
  replacements: readonly Replacement[],
  { cut, insert }: { readonly cut: (from: number, to?: number) => P; readonly insert: (text: string) => P },
): P[] {
  const pieces: P[] = [];
  let kept = 0;
  for (const { start, end, inserted } of replacements) {
    pieces.push(cut(kept, start), insert(inserted));
    kept = end;
  }
  return [...pieces, cut(kept)];
}

/** Byte positions of offsets in a text; cheap when they are asked for in order. */
function byteOffsets(text: string, firstByte: number, encoding: Code): (offset: number) => number {
  let known = { offset: 0, byte: firstByte };
  return offset => {
    const from = offset < known.offset ? { offset: 0, byte: firstByte } : known;
    const byte = from.byte + Buffer.byteLength(text.slice(from.offset, offset), encoding);
    known = { offset, byte };
    return byte;
  };
}

function recode(text: string, code: Code): string {
  return code === 'latin1' ? Buffer.from(text, 'utf8').toString(code) : text;
}
