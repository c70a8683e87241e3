import { chmod, lstat, mkdir, readlink, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { FileTooLargeError, readRegular, SpecialFileError } from '../../base/files/regular-file';
import { overwriteFile } from '../tools/files/writing/overwrite-file';
import type { WriteRecords } from '../tools/files/writing/write-records';
import { errorCode } from '../tools/result';
import { blobName, type BlobStore } from './blob-store';

/** In bytes. Larger files are not kept, and a revert of one is refused with this reason. */
export const MOST_FILE_BYTES = 16 * 1024 * 1024;

/**
 * The content of a path at one moment. `blob` names bytes in a {@link BlobStore}; for a link, they are the text of its
 * target.
 */
export type FileState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly blob: string; readonly size: number; readonly mode: number }
  | { readonly kind: 'link'; readonly blob: string }
  | { readonly kind: 'lost'; readonly why: LostReason };

/** Why the content is not known: it cannot be restored, and must not be overwritten. */
export type LostReason = 'tooLarge' | 'unreadable' | 'folder' | 'special';

export const ABSENT: FileState = { kind: 'absent' };

const lost = (why: LostReason): FileState => ({ kind: 'lost', why });

/** Whether both have the same content and kind. False if the content of one is unknown. */
export function sameState(a: FileState, b: FileState): boolean {
  if (a.kind === 'absent' || b.kind === 'absent') return a.kind === b.kind;
  if (a.kind === 'lost' || b.kind === 'lost' || a.kind !== b.kind || a.blob !== b.blob) return false;
  return a.kind === 'link' || b.kind === 'link' || isExecutable(a.mode) === isExecutable(b.mode);
}

/** Reads the content of a path and keeps its bytes. Never rejects because of that content. */
export async function readState(path: string, blobs: Pick<BlobStore, 'put'>): Promise<FileState> {
  try {
    const info = await lstat(path);
    if (info.isDirectory()) return lost('folder');
    if (info.isSymbolicLink()) return { kind: 'link', blob: await blobs.put(Buffer.from(await readlink(path))) };
    if (!info.isFile()) return lost('special');
    if (info.size > MOST_FILE_BYTES) return lost('tooLarge');
    const bytes = await readRegular(path, { most: MOST_FILE_BYTES });
    return { kind: 'file', blob: await blobs.put(bytes), size: bytes.length, mode: info.mode & 0o7777 };
  } catch (error) {
    if (error instanceof FileTooLargeError) return lost('tooLarge');
    if (error instanceof SpecialFileError) return lost(error.kind === 'folder' ? 'folder' : 'special');
    const code = errorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? ABSENT : lost('unreadable');
  }
}

/** Reads the content of a path and keeps it nowhere; `bytes` is undefined where the content is not known. */
export async function lookAt(path: string): Promise<{ readonly state: FileState; readonly bytes: Buffer | undefined }> {
  let bytes: Buffer | undefined;
  const state = await readState(path, {
    put: found => {
      bytes = found;
      return Promise.resolve(blobName(found));
    },
  });
  return { state, bytes: state.kind === 'absent' ? Buffer.alloc(0) : bytes };
}

/**
 * Writes a state to disk; rejects when that is not possible. Folders below `root` that become empty are removed, as in git.
 * `records`: where a file is recorded while it is written; undefined: nowhere.
 */
export async function writeState(
  path: string,
  state: FileState,
  bytes: Buffer,
  { root, records }: { readonly root: string; readonly records: WriteRecords | undefined },
): Promise<void> {
  switch (state.kind) {
    case 'absent':
      await unlink(path);
      await removeEmptyParents(path, root);
      return;
    case 'link':
      await makeWay(path);
      await rm(path, { force: true });
      await symlink(bytes.toString(), path);
      return;
    case 'file': {
      await makeWay(path);
      await overwriteFile(path, [bytes], records);
      const { mode } = await lstat(path);
      if (isExecutable(mode) !== isExecutable(state.mode)) await chmod(path, state.mode);
      return;
    }
    case 'lost':
      throw new Error('the content is not known');
  }
}

/** Writing would follow a link and overwrite its target. */
async function makeWay(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const isLink = await lstat(path).then(
    info => info.isSymbolicLink(),
    () => false, // Nothing there.
  );
  if (isLink) await unlink(path);
}

async function removeEmptyParents(path: string, root: string): Promise<void> {
  for (let folder = dirname(path); folder.startsWith(root + sep); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return; // The folder is not empty or cannot be removed, so it stays.
    }
  }
}

function isExecutable(mode: number): boolean {
  return (mode & 0o111) !== 0;
}
