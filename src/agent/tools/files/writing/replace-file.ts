import { randomBytes } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { access, link, lstat, open, realpath, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openRegular, readHandle, SpecialFileError } from '../../../../base/files/regular-file';
import { errorCode } from '../../result';
import { syncFile } from './write-records';

/**
 * Gives a file new content so that readers see the old or the new one, never half of it: by a temporary file that takes its
 * name where that keeps mode, owner, links and symbolic links, else in place. Creates the file, with `newMode`, when it
 * is missing.
 * @throws SpecialFileError for a pipe, socket or device, without writing to it
 */
export async function replaceFile(path: string, content: string | readonly Buffer[], newMode = 0o666): Promise<void> {
  await replaceAt(await withoutLink(path), content, { newMode });
}

/** How {@link replaceAt} writes. */
export interface Replacing {
  /** Mode of a file that is made; 0o666 when absent. */
  readonly newMode?: number;
  /** The file is made, and must not be there yet. */
  readonly isNew?: boolean;
  /** Called with the file that would be written, before it is; throws if it must not be. Then no link is followed. */
  readonly admit?: (info: BigIntStats) => Promise<void>;
}

/** {@link replaceFile} for a path that does not end with a link. */
export async function replaceAt(
  target: string,
  content: string | readonly Buffer[],
  replacing: Replacing = {},
): Promise<void> {
  const { newMode = 0o666, isNew = false, admit } = replacing;
  const mode = isNew ? 'new' : await replaceableMode(target);
  if (mode === undefined) {
    await writeInPlace(target, content, replacing);
    return;
  }
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', mode === 'new' ? newMode : 0o600);
    try {
      if (typeof content === 'string') await file.writeFile(content);
      else await writeAll(file, content);
      if (mode !== 'new') await file.chmod(mode);
    } finally {
      await file.close();
    }
    if (admit !== undefined) await admit(await lstat(mode === 'new' ? temporary : target, { bigint: true }));
    // A link does not replace a file that was created in the meantime.
    await (mode === 'new' ? link : rename)(temporary, target);
    if (mode === 'new') await unlink(temporary);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    const code = errorCode(error);
    if (code === undefined || code === 'ENOSPC' || code === 'EDQUOT') throw error;
    // The folder may forbid new files, the disk may have no links, and the system may forbid a rename over an open file. Writing
    // in place works then.
    await writeInPlace(target, content, replacing);
  }
}

/** Missing on Windows, where a link needs a special right. */
export const NO_FOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

/** A larger file is not put back when it cannot be written completely; bytes. */
export const MOST_KEPT_BYTES = 256 * 1024 * 1024;

/** Changes nothing unless it is a regular file; puts its content back if the new one cannot be written completely. */
async function writeInPlace(
  target: string,
  content: string | readonly Buffer[],
  { newMode = 0o666, isNew = false, admit }: Replacing,
): Promise<void> {
  const follow = admit === undefined ? 0 : NO_FOLLOW;
  const before = isNew ? undefined : await contentOf(target, follow);
  const flags = constants.O_WRONLY | constants.O_CREAT | follow | (isNew ? constants.O_EXCL : 0);
  const file = await openRegular(target, flags, newMode).catch((error: unknown) => {
    if (!(error instanceof SpecialFileError) || error.kind !== 'folder') throw error;
    throw new Error(`EISDIR: illegal operation on a directory, open '${target}'`, { cause: error });
  });
  const bytes = bytesOf(content);
  try {
    await admit?.(await file.stat({ bigint: true }));
  } catch (error) {
    await file.close();
    throw error;
  }
  try {
    // Cut afterwards, so that the file keeps its place on a disk that is full.
    await file.writeFile(bytes);
    await file.truncate(bytes.length);
  } catch (error) {
    if (before !== undefined) await putBack(file, before);
    throw error;
  } finally {
    await file.close();
  }
}

/** Undefined for a file that does not exist or cannot be read: it has nothing to put back. */
async function contentOf(target: string, flags: number): Promise<Buffer | undefined> {
  try {
    const file = await openRegular(target, constants.O_RDONLY | flags);
    try {
      return await readHandle(file, target, { most: MOST_KEPT_BYTES });
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Gives an open file its earlier bytes again. */
export async function putBack(file: FileHandle, before: Buffer): Promise<void> {
  for (let at = 0; at < before.length;) {
    at += (await file.write(before, at, before.length - at, at)).bytesWritten;
  }
  await file.truncate(before.length);
  await syncFile(file);
}

export function bytesOf(content: string | readonly Buffer[]): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.concat(content);
}

async function writeAll(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { bytesWritten } = await file.writev(pieces);
  // The system may write less than requested. The rest is written in the slower way.
  if (bytesWritten < total) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}

/** What a symbolic link points to, so that the link survives. */
export async function withoutLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return path;
    throw error;
  }
}

/** The file's mode if a rename keeps everything that matters. `new` if there is no file. */
async function replaceableMode(target: string): Promise<number | 'new' | undefined> {
  try {
    const info = await lstat(target);
    const isOurs = process.getuid === undefined || (info.uid === process.getuid() && info.gid === process.getgid?.());
    if (!info.isFile() || info.nlink !== 1 || !isOurs) return undefined;
    // A rename needs no right to write the file itself; a read-only file must stay as it is.
    await access(target, constants.W_OK);
    return info.mode & 0o7777;
  } catch (error) {
    // Not writable: writing in place reports the error.
    return errorCode(error) === 'ENOENT' ? 'new' : undefined;
  }
}
