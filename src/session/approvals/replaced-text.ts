import { constants } from 'node:fs';
import { raceAbort } from '../../agent/tools/abort';
import { errorCode } from '../../agent/tools/result';
import { openRegular, readHandle } from '../../base/regular-file';
import { anySignal } from '../../base/wait';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import { decodedText } from '../../agent/changes/file-texts';

/** Larger files are not compared, in bytes. */
const MOST_BYTES = 512 * 1024;
/** The question does not wait longer than this for a slow disk, in ms. */
const MOST_MS = 2_000;
/** Windows has no such flag. */
const NO_FOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

/** What stands in the file that a call would write over. */
export type ReplacedText =
  | { readonly type: 'newFile' }
  | { readonly type: 'text'; readonly text: string }
  /** It is larger than 512 KB, no text, no regular file, or it cannot be read. */
  | { readonly type: 'unknown' };

/** Reads the file of a call, and no other: a link that took its place meanwhile is not followed. Never rejects. */
export async function replacedText(
  { real, place }: NonNullable<CallDetails['file']>,
  signal: AbortSignal | undefined,
): Promise<ReplacedText> {
  if (place === 'unclear') return { type: 'unknown' };
  const ending = anySignal(AbortSignal.timeout(MOST_MS), signal);
  try {
    const text = decodedText(await raceAbort(ending, bytesOf(real, ending)));
    return text === undefined ? { type: 'unknown' } : { type: 'text', text };
  } catch (error) {
    const code = errorCode(error);
    return { type: code === 'ENOENT' || code === 'ENOTDIR' ? 'newFile' : 'unknown' };
  }
}

async function bytesOf(path: string, signal: AbortSignal): Promise<Buffer> {
  const handle = await openRegular(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    return await readHandle(handle, path, { most: MOST_BYTES, signal });
  } finally {
    await handle.close();
  }
}
