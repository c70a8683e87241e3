import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { defined } from '../../../base/defined';
import { FileTooLargeError, readRegular, SpecialFileError } from '../../../base/regular-file';
import { raceAbort, throwIfAborted } from '../abort';
import { diffReplacements, type Replacement } from './diff';
import { editParameters, prepareEditArguments, type TextEdit } from './edit-arguments';
import { planEdits, refuseEmpty } from './edit-plan';
import { ChangedTargetError, checkTarget, currentTarget, type FileTarget } from './file-target';
import { withFileQueue } from './mutation-queue';
import { resolveExisting } from './paths';
import { replaceFile } from './replace-file';
import { writeTarget } from './write-target';
import { errorCode, textResult } from '../result';
import { fileToolFacts } from '../facts';
import { defineTool, type Tool } from '../tool';
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
}

interface EditRequest {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

/**
 * The `edit` tool, as pi 1.6.0 has it (docs/hooks.md, "What tools get"). `execute` also takes the older form
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
    prepareArguments: prepareEditArguments,
    async execute(_toolCallId, params, signal) {
      throwIfAborted(signal);
      const request = requestOf(params);
      const { operations } = options;
      const target = operations === undefined ? currentTarget() : undefined;
      const absolutePath = target?.real ?? resolveExisting(request.path, cwd);
      const work = withFileQueue(absolutePath, async () => {
        const files = operations
          ? foreignFiles(operations, request.path, signal)
          : localFiles(request.path, target, signal);
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
  readonly encoding: 'utf8' | 'latin1';
  readonly text: () => string;
}

/** Reads and writes, each refusing to begin once the call is aborted. */
interface Files {
  read(absolutePath: string): Promise<Buffer>;
  write(absolutePath: string, content: NewContent): Promise<void>;
}

function requestOf(params: Partial<EditRequest> & Pick<EditRequest, 'path'>): EditRequest {
  const { path, edits } = params.edits === undefined ? (prepareEditArguments(params) as typeof params) : params;
  if (edits !== undefined && edits.length > 0) return { path, edits };
  throw new Error('Edit tool input is invalid. edits must contain at least one replacement.');
}

function localFiles(path: string, target: FileTarget | undefined, signal: AbortSignal | undefined): Files {
  return {
    async read(absolutePath) {
      throwIfAborted(signal);
      try {
        if (target !== undefined) checkTarget(target, path);
        await access(absolutePath, constants.R_OK | constants.W_OK);
        return await raceAbort(signal, readRegular(absolutePath, { most: MOST_BYTES, signal }));
      } catch (error) {
        throwIfAborted(signal);
        throw accessProblem(error, path);
      }
    },
    async write(absolutePath, { pieces }) {
      throwIfAborted(signal);
      try {
        await (target === undefined ? replaceFile(absolutePath, pieces) : writeTarget(target, pieces, path));
      } catch (error) {
        throw accessProblem(error, path);
      }
    },
  };
}

function accessProblem(error: unknown, path: string): Error {
  if (error instanceof ChangedTargetError) return error;
  const code = errorCode(error);
  const isOurs = error instanceof SpecialFileError || error instanceof FileTooLargeError;
  const why = code !== undefined ? `Error code: ${code}` : isOurs ? error.message : String(error);
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
      if (encoding !== 'utf8') throw new Error(`Cannot edit ${path}: it is not UTF-8 text`);
      await raceAbort(signal, operations.writeFile(absolutePath, text()));
    },
  };
}

async function editFile(files: Files, absolutePath: string, { path, edits }: EditRequest): Promise<EditToolDetails> {
  refuseEmpty(edits, path);
  const bytes = await files.read(absolutePath);
  // Bytes that are no UTF-8 survive as they are when each is taken for one character.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const bom = text.startsWith(BOM) ? BOM : '';
  const before = text.slice(bom.length);
  const coded = edits.map(({ oldText, newText }) => ({
    oldText: recode(oldText, encoding),
    newText: recode(newText, encoding),
  }));
  const replacements = planEdits(before, coded, path);
  const byteAt = byteOffsets(before, Buffer.byteLength(bom, encoding), encoding);
  const countLines = (from: number, to: number): number => countNewlines(bytes.subarray(byteAt(from), byteAt(to)));
  // Before the file is written: what cannot be shown must not have happened.
  const { diff, patch, firstChangedLine } = diffReplacements(before, replacements, {
    path: recode(path, encoding),
    countLines,
  });
  await files.write(absolutePath, {
    pieces: spliced(replacements, {
      cut: (from, to) => bytes.subarray(from === 0 ? 0 : byteAt(from), to === undefined ? undefined : byteAt(to)),
      insert: text => Buffer.from(text, encoding),
    }),
    encoding,
    text: () =>
      bom + spliced(replacements, { cut: (from, to) => before.slice(from, to), insert: text => text }).join(''),
  });
  const readable = (text: string): string =>
    encoding === 'utf8' ? text : Buffer.from(text, encoding).toString('utf8');
  return { diff: readable(diff), patch: readable(patch), ...defined({ firstChangedLine }) };
}

/** What is kept and what is put in, in order, in the form that the functions give; the first piece begins at 0. */
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
function byteOffsets(text: string, firstByte: number, encoding: 'utf8' | 'latin1'): (offset: number) => number {
  let known = { offset: 0, byte: firstByte };
  return offset => {
    const from = offset < known.offset ? { offset: 0, byte: firstByte } : known;
    const byte = from.byte + Buffer.byteLength(text.slice(from.offset, offset), encoding);
    known = { offset, byte };
    return byte;
  };
}

function recode(text: string, encoding: 'utf8' | 'latin1'): string {
  return encoding === 'utf8' ? text : Buffer.from(text, 'utf8').toString(encoding);
}
