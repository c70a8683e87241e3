import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { messageOf } from '../../../../base/errors';
import { openRegular, readHandle } from '../../../../base/files/regular-file';
import { bytesOf, MOST_KEPT_BYTES, NO_FOLLOW, putBack, replaceAt, withoutLink, type Replacing } from './replace-file';
import { syncFile, type WriteRecord, type WriteRecords } from './write-records';

/** Thrown when a file was written in part and could not be put back either. */
export class CutWriteError extends Error {
  override readonly name = 'CutWriteError';

  constructor(path: string, isRecorded: boolean, cause: unknown) {
    const kept = isRecorded ? ' Its earlier content is kept: see "hookline writes".' : '';
    super(`${path} was written only in part: ${messageOf(cause)}.${kept}`, { cause });
  }
}

/** How {@link overwriteAt} writes. */
export interface Overwriting extends Pick<Replacing, 'newMode' | 'isNew' | 'admit'> {
  /** Where both contents are until the write is complete; absent: nowhere. */
  readonly records: WriteRecords | undefined;
  /** The real path, where `target` is a way to it; for records and errors. */
  readonly real?: string;
}

/**
 * Writes new content to a file of the user and keeps the file itself, with its names, owner, attributes and labels. Its old bytes
 * are recorded before it is written, and put back if the new ones cannot be written completely. A file that cannot be recorded is
 * replaced as by {@link replaceAt}, which also makes a file that is missing.
 * @throws SpecialFileError for a pipe, socket or device, without writing to it
 */
export async function overwriteFile(
  path: string,
  content: string | readonly Buffer[],
  records: WriteRecords | undefined,
): Promise<void> {
  await overwriteAt(await withoutLink(path), content, { records });
}

/** {@link overwriteFile} for a path that does not end with a link. */
export async function overwriteAt(
  target: string,
  content: string | readonly Buffer[],
  { records, real = target, ...replacing }: Overwriting,
): Promise<void> {
  const file = replacing.isNew === true ? undefined : await openExisting(target, replacing);
  try {
    if (file !== undefined && (await overwrite(file, content, { records, real, ...replacing }))) return;
  } finally {
    await file?.close();
  }
  await replaceAt(target, content, replacing);
}

/** Undefined for a file that is missing or cannot be read and written: {@link replaceAt} makes it, or says why. */
async function openExisting(target: string, { admit }: Replacing): Promise<FileHandle | undefined> {
  try {
    return await openRegular(target, constants.O_RDWR | (admit === undefined ? 0 : NO_FOLLOW));
  } catch {
    return undefined;
  }
}

/** False when the old bytes could not be recorded; the file is unchanged then. */
async function overwrite(
  file: FileHandle,
  content: string | readonly Buffer[],
  { records, real, admit }: Overwriting & { readonly real: string },
): Promise<boolean> {
  await admit?.(await file.stat({ bigint: true }));
  const after = bytesOf(content);
  let before: Buffer;
  let record: WriteRecord | undefined;
  try {
    before = await readHandle(file, real, { most: MOST_KEPT_BYTES });
    record = await records?.begin({ path: real, before, after });
  } catch {
    return false; // The file is too large, or the folder of the records cannot be written.
  }
  try {
    // Cut afterwards, so that the file keeps its place on a disk that is full.
    await file.writeFile(after);
    await file.truncate(after.length);
    await syncFile(file);
  } catch (error) {
    const isBack = await putBack(file, before).then(
      () => true,
      () => false,
    );
    if (!isBack) throw new CutWriteError(real, record !== undefined, error);
    await record?.end();
    throw error;
  }
  await record?.end();
  return true;
}
