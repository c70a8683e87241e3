import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { FileTooLargeError, readRegular, SpecialFileError } from '../../../base/files/regular-file';
import { raceAbort, throwIfAborted } from '../abort';
import { diffReplacements, type Replacement } from './diff';
import { editParameters, prepareEditArguments, type TextEdit } from './edit-arguments';
import { toLf } from './edit-match';
import { planEdits, refuseEmpty } from './edit-plan';
import { ChangedTargetError, checkTarget, currentTarget, type FileTarget } from './file-target';
import { withFileQueue } from './mutation-queue';
import { resolveExisting } from './paths';
import { CutWriteError, overwriteFile } from './overwrite-file';
import { decodeExactly, encodeExactly, type CodecOf, type TextCodec } from './text-codec';
import { encodingOf, swapped, type TextEncoding } from './text-encoding';
import type { WriteRecords } from './write-records';
import { writeTarget } from './write-target';
import { errorCode, textResult } from '../result';
import { fileToolFacts } from '../facts';
import { defineTool, STRICT_IF_POSSIBLE, type Tool } from '../tool';
import { countNewlines } from '../truncate';

/** The text of a larger file would not fit into one string. */
const MOST_BYTES = 256 * 1024 * 1024;
const BOM = '\ufeff';

/** Details of an `edit` result (docs/dialects.md, D1). */
export interface EditToolDetails {
  readonly diff: string;
  /** The change as a unified patch. */
  readonly patch: string;
  /** 1-based line of the first change in the new file. */
  readonly firstChangedLine?: number;
}

/** File access that hooks may replace (EXT). */
export interface EditOperations {
  readonly readFile: (absolutePath: string) => Promise<Buffer>;
  readonly writeFile: (absolutePath: string, content: string) => Promise<void>;
  /** Throws when the file cannot be read and written. */
  readonly access: (absolutePath: string) => Promise<void>;
}

/** Options of {@link createEditTool}. */
export interface EditToolOptions {
  readonly operations?: EditOperations | undefined;
  /** Where a file is recorded while it is written; absent: nowhere. */
  readonly records?: WriteRecords | undefined;
  /** The encodings of files that are not Unicode; absent: not known. */
  readonly codecOf?: CodecOf | undefined;
}

interface EditRequest {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

/**
 * The `edit` tool, as today's pi has it (docs/hooks.md, "What tools get"). `execute` also takes the older form
 * `{ path, oldText, newText }`, in which hooks call it that were written for that.
 */
export function createEditTool(
  cwd: string,
  options: EditToolOptions = {},
): Tool<typeof editParameters, EditToolDetails> {
  return defineTool({
    name: 'edit',
    label: 'edit',
    ...fileToolFacts('edit', 'edit'),
    description:
      'Replace pieces of text in one file. Each oldText must match the file exactly, white space included, and occur ' +
      'only once; include enough of the text around it, and no more.',
    promptSnippet: 'Make precise changes to a file by replacing exact texts, several in one call',
    promptGuidelines: [
      'Use edit for precise changes, all changes of one file in one call; each oldText must match exactly, be ' +
        'unique and not overlap another.',
    ],
    parameters: editParameters,
    constrainedSampling: STRICT_IF_POSSIBLE,
    prepareArguments: prepareEditArguments,
    async execute(_toolCallId, params, signal) {
      throwIfAborted(signal);
      const request = requestOf(params);
      const { operations, records } = options;
      const target = operations === undefined ? currentTarget() : undefined;
      const absolutePath = target?.real ?? resolveExisting(request.path, cwd);
      const work = withFileQueue(absolutePath, async () => {
        const files = operations
          ? foreignFiles(operations, request.path, signal)
          : localFiles(request.path, { target, records, codec: options.codecOf?.(absolutePath) }, signal);
        return editFile(files, absolutePath, request);
      });
      const details = await raceAbort(operations && signal, work);
      return textResult(`Successfully replaced ${request.edits.length} block(s) in ${request.path}.`, details);
    },
  });
}

/** New content as pieces of bytes, so that a large file is not encoded again, and as text for those who need text. */
interface NewContent {
  readonly pieces: readonly Buffer[];
  readonly encoding: TextEncoding;
  readonly text: () => string;
}

/** Reads and writes. Neither begins after the call was aborted. */
interface Files {
  /** The encoding that the editor uses for the file. If the bytes fit it, they are read as UTF-8. */
  readonly codec?: TextCodec | undefined;
  read(absolutePath: string): Promise<Buffer>;
  write(absolutePath: string, content: NewContent): Promise<void>;
}

function requestOf(params: Partial<EditRequest> & Pick<EditRequest, 'path'>): EditRequest {
  const { path, edits } = params.edits === undefined ? (prepareEditArguments(params) as typeof params) : params;
  if (edits !== undefined && edits.length > 0) return { path, edits };
  throw new Error('Edit tool input is invalid. edits must contain at least one replacement.');
}

/** What a local file is written with, beside its path. */
interface LocalWork {
  readonly target: FileTarget | undefined;
  readonly records: WriteRecords | undefined;
  readonly codec: TextCodec | undefined;
}

function localFiles(path: string, { target, records, codec }: LocalWork, signal: AbortSignal | undefined): Files {
  /** What is written has the encoding of the editor. */
  let isCoded = false;
  return {
    codec,
    async read(absolutePath) {
      throwIfAborted(signal);
      try {
        if (target !== undefined) checkTarget(target, path);
        await access(absolutePath, constants.R_OK | constants.W_OK);
        const bytes = await raceAbort(signal, readRegular(absolutePath, { most: MOST_BYTES, signal }));
        const decoded = await decodeExactly(codec, bytes);
        isCoded = decoded !== undefined;
        return decoded ?? bytes;
      } catch (error) {
        throwIfAborted(signal);
        throw accessProblem(error, path);
      }
    },
    async write(absolutePath, { pieces, text }) {
      throwIfAborted(signal);
      const content =
        isCoded && codec !== undefined ? [await encodeExactly(codec, text(), `Cannot edit ${path}`)] : pieces;
      try {
        await (target === undefined
          ? overwriteFile(absolutePath, content, records)
          : writeTarget(target, content, { path, records }));
      } catch (error) {
        throw accessProblem(error, path);
      }
    },
  };
}

function accessProblem(error: unknown, path: string): Error {
  if (error instanceof ChangedTargetError) return error;
  const code = errorCode(error);
  const isOurs = [SpecialFileError, FileTooLargeError, CutWriteError].some(type => error instanceof type);
  const why = code !== undefined ? `Error code: ${code}` : isOurs ? messageOf(error) : String(error);
  return new Error(`Could not edit file: ${path}. ${why}.`, { cause: error });
}

function foreignFiles(operations: EditOperations, path: string, signal: AbortSignal | undefined): Files {
  return {
    async read(absolutePath) {
      try {
        await raceAbort(signal, operations.access(absolutePath));
      } catch (error) {
        throwIfAborted(signal);
        throw accessProblem(error, path);
      }
      return raceAbort(signal, operations.readFile(absolutePath));
    },
    async write(absolutePath, { text, encoding }) {
      // The port takes text only; bytes that are not UTF-8 would be destroyed on the way.
      if (encoding !== 'utf-8') throw new Error(`Cannot edit ${path}: it is not UTF-8 text`);
      await raceAbort(signal, operations.writeFile(absolutePath, text()));
    },
  };
}

async function editFile(files: Files, absolutePath: string, { path, edits }: EditRequest): Promise<EditToolDetails> {
  refuseEmpty(edits, path);
  const found = await files.read(absolutePath);
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
  const unknown = (): Error => unknownEncoding(path, files.codec);
  if (encoding === 'unknown') refuseUnknown(before, coded, unknown);
  const replacements = planEdits(before, coded, path);
  if (encoding === 'unknown') refuseGuessed(before, coded, replacements, unknown);
  const byteAt = byteOffsets(before, Buffer.byteLength(bom, code), code);
  const countLines = (from: number, to: number): number =>
    code === 'utf16le'
      ? before.slice(from, to).split('\n').length - 1
      : countNewlines(bytes.subarray(byteAt(from), byteAt(to)));
  // Before the file is written, because a change that cannot be shown must not be made.
  const { diff, patch, firstChangedLine } = diffReplacements(before, replacements, {
    path: recode(path, code),
    countLines,
  });
  const pieces = spliced(replacements, {
    cut: (from, to) => bytes.subarray(from === 0 ? 0 : byteAt(from), to === undefined ? undefined : byteAt(to)),
    insert: text => Buffer.from(text, code),
  });
  await files.write(absolutePath, {
    pieces: encoding === 'utf-16be' ? pieces.map(swapped) : pieces,
    encoding,
    text: () =>
      bom + spliced(replacements, { cut: (from, to) => before.slice(from, to), insert: text => text }).join(''),
  });
  const readable = (text: string): string => (code === 'latin1' ? Buffer.from(text, code).toString('utf8') : text);
  return { diff: readable(diff), patch: readable(patch), ...defined({ firstChangedLine }) };
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
