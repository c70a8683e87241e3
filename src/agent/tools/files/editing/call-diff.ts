import { constants } from 'node:fs';
import type { Static } from '@sinclair/typebox';
import { anySignal } from '../../../../base/async/wait';
import { messageOf } from '../../../../base/errors';
import { openRegular, readHandle, SpecialFileError } from '../../../../base/files/regular-file';
import { raceAbort } from '../../abort';
import { checkedArguments } from '../../arguments/check-arguments';
import { textArgument, type ToolArguments } from '../../facts';
import { errorCode } from '../../result';
import { firstDifferentLine } from './diff';
import { accessProblem } from './edit';
import { editParameters, prepareEditArguments } from './edit-arguments';
import { editRequest, type EditRequest } from './edit-plan';
import { editedContent } from './edited-content';
import { currentTarget } from '../file-target';
import { resolveExisting, resolveForWrite } from '../paths';
import { bytesOf, NO_FOLLOW } from '../writing/replace-file';
import { unicodeText } from '../text-encoding';
import { writeParameters, writtenContent } from '../writing/write';

/** Larger files are not compared for a card, in bytes. */
const MOST_BYTES = 512 * 1024;
/** Nobody waits longer than this for a slow disk, in ms. */
const MOST_MS = 2_000;

/** What a call of a tool is about to make of a file. `path` is absolute. */
export type CallDiff =
  | {
      readonly type: 'change';
      readonly path: string;
      /** The text of the file now, with its mark and line ends; null if the call makes the file. */
      readonly before: string | null;
      /** The text of the file after the call. It may be the same. */
      readonly after: string;
      /** The first line that changes, from 1. */
      readonly line: number;
    }
  /**
   * The file is too large, no Unicode text or no regular file, it cannot be read within 2 s, or the call will fail.
   * `why` is for the log and the model: where the tool will fail, it is what the tool says.
   */
  | { readonly type: 'unknown'; readonly path: string; readonly why: string };

/**
 * What a call will change, found with the matcher, the paths and the encodings of its tool; `input` is what the model or a hook
 * gave. The file is that of {@link currentTarget} if there is one, and a link that took its place is not followed.
 * Undefined if the tool writes no file, or the call names none. `mostBytes`: size of the largest file that
 * is compared. Writes nothing and never rejects.
 */
export async function callDiff(
  toolName: string,
  input: ToolArguments,
  cwd: string,
  { signal, mostBytes = MOST_BYTES }: { readonly signal?: AbortSignal | undefined; readonly mostBytes?: number } = {},
): Promise<CallDiff | undefined> {
  const writer = WRITERS.get(toolName);
  const given = textArgument(input, 'path');
  if (writer === undefined || given === '') return undefined;
  const path = currentTarget()?.real ?? writer.resolve(given, cwd);
  const slow = AbortSignal.timeout(MOST_MS);
  try {
    const { found, content } = await writer.plan(input, () => bytesAt(path, anySignal(slow, signal), mostBytes));
    const before = found === undefined ? null : unicodeText(found);
    const after = unicodeText(bytesOf(content));
    if (before === undefined || before?.includes('\0') === true || after === undefined) {
      return { type: 'unknown', path, why: `${path} is no Unicode text` };
    }
    return { type: 'change', path, before, after, line: firstDifferentLine(before ?? '', after) };
  } catch (error) {
    const isLate = slow.aborted && signal?.aborted !== true;
    return { type: 'unknown', path, why: isLate ? `${path} could not be read within 2 s` : messageOf(error) };
  }
}

/** A tool that writes the file of its argument `path`. */
interface FileWriter {
  readonly resolve: (path: string, cwd: string) => string;
  /** What it found and what it would write. `found` is undefined if there is no file. Throws what the tool says. */
  readonly plan: (
    input: ToolArguments,
    read: () => Promise<Buffer>,
  ) => Promise<{ readonly found: Buffer | undefined; readonly content: string | readonly Buffer[] }>;
}

const WRITERS: ReadonlyMap<string, FileWriter> = new Map<string, FileWriter>([
  [
    'edit',
    {
      resolve: resolveExisting,
      async plan(input, read) {
        const request = editRequest(
          checkedArguments('edit', editParameters, prepareEditArguments(input)) as unknown as EditRequest,
        );
        const found = await read().catch((error: unknown) => {
          const isOfDisk = errorCode(error) !== undefined || error instanceof SpecialFileError;
          throw isOfDisk ? accessProblem(error, request.path) : error;
        });
        return { found, content: editedContent(found, request).content.pieces };
      },
    },
  ],
  [
    'write',
    {
      resolve: resolveForWrite,
      async plan(input, read) {
        const { content } = checkedArguments('write', writeParameters, input) as Static<typeof writeParameters>;
        const found = await read().catch((error: unknown) => {
          if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
          throw error;
        });
        return { found, content: writtenContent(content, found ?? Buffer.alloc(0)) };
      },
    },
  ],
]);

function bytesAt(path: string, signal: AbortSignal, most: number): Promise<Buffer> {
  const read = async (): Promise<Buffer> => {
    // Only the path of a target has no links.
    const follow = currentTarget() === undefined ? 0 : NO_FOLLOW;
    const handle = await openRegular(path, constants.O_RDONLY | follow);
    try {
      return await readHandle(handle, path, { most, signal });
    } finally {
      await handle.close();
    }
  };
  return raceAbort(signal, read());
}
