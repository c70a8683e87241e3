import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openRegular, readRegular, SpecialFileError } from '../../../base/regular-file';
import { errorCode } from '../result';

/**
 * Gives a file new content so that readers see the old or the new one, never half of it: by a temporary file and a
 * rename where that keeps mode, owner, links and symbolic links, else in place. Creates the file, with `newMode`, when it
 * is missing.
 * @throws SpecialFileError for a pipe, socket or device, without writing to it
 */
export async function replaceFile(path: string, content: string | readonly Buffer[], newMode = 0o666): Promise<void> {
  const target = await targetOf(path);
  const mode = await replaceableMode(target);
  if (mode === undefined) {
    await writeInPlace(target, content, newMode);
    return;
  }
  const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      if (typeof content === 'string') await file.writeFile(content);
      else await writeAll(file, content);
      await file.chmod(mode);
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    const code = errorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw error;
    // The folder may forbid new files, or the system a rename over an open file, where writing in place works.
    await writeInPlace(target, content, newMode);
  }
}

/** A larger file is not put back when it cannot be written completely; bytes. */
const MOST_KEPT_BYTES = 256 * 1024 * 1024;

/** Changes nothing unless it is a regular file; puts its content back if the new one cannot be written completely. */
async function writeInPlace(target: string, content: string | readonly Buffer[], newMode: number): Promise<void> {
  // A file that does not exist or cannot be read has nothing to put back.
  const before = await readRegular(target, { most: MOST_KEPT_BYTES }).catch(() => undefined);
  const file = await openRegular(target, constants.O_WRONLY | constants.O_CREAT, newMode).catch((error: unknown) => {
    if (!(error instanceof SpecialFileError) || error.kind !== 'folder') throw error;
    throw new Error(`EISDIR: illegal operation on a directory, open '${target}'`, { cause: error });
  });
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.concat(content);
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

async function putBack(file: FileHandle, before: Buffer): Promise<void> {
  for (let at = 0; at < before.length;) {
    at += (await file.write(before, at, before.length - at, at)).bytesWritten;
  }
  await file.truncate(before.length);
}

async function writeAll(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { bytesWritten } = await file.writev(pieces);
  // The system may take less than it was given; the rest then goes by the slower way.
  if (bytesWritten < total) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}

/** What a symbolic link points to, so that the link survives. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return path;
    throw error;
  }
}

/** The file's mode when a rename keeps all that matters about it. */
async function replaceableMode(target: string): Promise<number | undefined> {
  try {
    const info = await stat(target);
    const isOurs = process.getuid === undefined || (info.uid === process.getuid() && info.gid === process.getgid?.());
    if (!info.isFile() || info.nlink !== 1 || !isOurs) return undefined;
    // A rename needs no right to write the file itself; a read-only file must stay as it is.
    await access(target, constants.W_OK);
    return info.mode & 0o7777;
  } catch {
    // Missing or not writable: writing in place creates it, or reports the error.
    return undefined;
  }
}
