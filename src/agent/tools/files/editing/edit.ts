import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { messageOf } from '../../../../base/errors';
import { FileTooLargeError, readRegular, SpecialFileError } from '../../../../base/files/regular-file';
import { raceAbort, throwIfAborted } from '../../abort';
import { editParameters, prepareEditArguments } from './edit-arguments';
import { editRequest, type EditRequest } from './edit-plan';
import { editedContent, type EditToolDetails, type NewContent } from './edited-content';
import { ChangedTargetError, checkTarget, currentTarget, type FileTarget } from '../file-target';
import { withFileQueue } from '../writing/mutation-queue';
import { resolveExisting } from '../paths';
import { CutWriteError, overwriteFile } from '../writing/overwrite-file';
import { decodeExactly, encodeExactly, type CodecOf, type TextCodec } from '../text-codec';
import type { WriteRecords } from '../writing/write-records';
import { writeTarget } from '../writing/write-target';
import { errorCode, textResult } from '../../result';
import { fileToolFacts } from '../../facts';
import { defineTool, STRICT_IF_POSSIBLE, type Tool } from '../../tool';

/** The text of a larger file would not fit into one string. */
const MOST_BYTES = 256 * 1024 * 1024;

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
      const request = editRequest(params);
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

/** Reads and writes. Neither begins after the call was aborted. */
interface Files {
  /** The encoding that the editor uses for the file. If the bytes fit it, they are read as UTF-8. */
  readonly codec?: TextCodec | undefined;
  read(absolutePath: string): Promise<Buffer>;
  write(absolutePath: string, content: NewContent): Promise<void>;
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

/** What `edit` says about a file that it cannot read or write. */
export function accessProblem(error: unknown, path: string): Error {
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

async function editFile(files: Files, absolutePath: string, request: EditRequest): Promise<EditToolDetails> {
  // Before the file is written, because a change that cannot be shown must not be made.
  const { content, details } = editedContent(await files.read(absolutePath), request, files.codec);
  await files.write(absolutePath, content);
  return details;
}
