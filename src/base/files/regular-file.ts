import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Texts that people and programs write for us (settings, hooks, instructions) are smaller; bytes. */
const MOST_TEXT_BYTES = 16 * 1024 * 1024;
const SLICE_BYTES = 1024 * 1024;
/** See {@link readSmallSync}. */
const SMALL_BYTES = 64 * 1024;
/** What the system counts the blocks of a file in, whatever the disk has. */
const BLOCK_BYTES = 512;
const MEGABYTE = 1024 * 1024;
/** The codes of errors for opening a socket, or a pipe without a reader. */
const SPECIAL_CODES = new Set(['ENXIO', 'EOPNOTSUPP', 'ENOTSUP', 'ENODEV']);
/** Missing on Windows, whose folders hold no pipes or devices. */
const NON_BLOCKING = (constants as Partial<typeof constants>).O_NONBLOCK ?? 0;

type SpecialKind = 'folder' | 'named pipe' | 'socket' | 'device';

/** Thrown instead of opening a file that is not regular: reading or writing it may never end. */
export class SpecialFileError extends Error {
  override readonly name = 'SpecialFileError';
  /** As the system has it for folders. */
  readonly code: 'EISDIR' | undefined;

  constructor(
    path: string,
    readonly kind: SpecialKind,
  ) {
    super(
      kind === 'folder' ? 'EISDIR: illegal operation on a directory, read' : `${path} is a ${kind}, not a regular file`,
    );
    this.code = kind === 'folder' ? 'EISDIR' : undefined;
  }
}

/** Thrown when a file has more bytes than the caller takes; nothing beyond them was read. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';

  constructor(path: string, most: number) {
    super(
      `${path} is larger than ${most < MEGABYTE ? `${Math.floor(most / 1024)} KB` : `${Math.floor(most / MEGABYTE)} MB`}`,
    );
  }
}

/** How much is read, and until when. */
export interface ReadLimits {
  /** Bytes; {@link MOST_TEXT_BYTES} when absent. */
  readonly most?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a file without waiting for another end (a named pipe has one), and asks on the open handle what it is; `flags` as
 * and `mode` (for a file that it creates) as for `open(2)`. The caller closes it.
 * @throws SpecialFileError for everything but a regular file; else what the system says
 */
export async function openRegular(path: string, flags: number = constants.O_RDONLY, mode = 0o666): Promise<FileHandle> {
  // Some devices act on being opened, so they are refused before; what changes in between is seen on the handle.
  refuseSpecial(path, statsIfThere(path));
  let handle: FileHandle;
  try {
    handle = await open(path, flags | NON_BLOCKING, mode);
  } catch (error) {
    if (SPECIAL_CODES.has(codeOf(error))) refuseSpecial(path, statsIfThere(path));
    throw error;
  }
  try {
    refuseSpecial(path, fstatSync(handle.fd));
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * The bytes of a regular file, read in slices.
 * @throws SpecialFileError, FileTooLargeError, the signal's reason, or what the system says
 */
export async function readRegular(path: string, limits: ReadLimits = {}): Promise<Buffer> {
  const handle = await openRegular(path);
  try {
    return await readHandle(handle, path, limits);
  } finally {
    await handle.close();
  }
}

/** As {@link readRegular} from the start of a handle that stays open; `path` is what errors name. */
export async function readHandle(handle: FileHandle, path: string, limits: ReadLimits = {}): Promise<Buffer> {
  const { most = MOST_TEXT_BYTES, signal } = limits;
  const growing = new GrowingBytes(path, fstatSync(handle.fd).size, most);
  for (;;) {
    signal?.throwIfAborted();
    const { buffer, offset, length } = growing.free();
    const { bytesRead } = await handle.read(buffer, offset, length, offset);
    if (bytesRead === 0) return growing.taken();
    growing.add(bytesRead);
  }
}

/** {@link readRegular} as UTF-8. A small file is read by {@link readSmallSync}. */
export async function readRegularText(path: string, limits: ReadLimits = {}): Promise<string> {
  limits.signal?.throwIfAborted();
  const small = (limits.most ?? SMALL_BYTES) < SMALL_BYTES ? undefined : readSmallSync(path);
  return (small ?? (await readRegular(path, limits))).toString('utf8');
}

/** {@link readRegularText} while the caller waits. */
export function readRegularTextSync(path: string, most: number = MOST_TEXT_BYTES): string {
  return readRegularSync(path, most).toString('utf8');
}

/** {@link readRegular} while the caller waits. */
export function readRegularSync(path: string, most: number = MOST_TEXT_BYTES): Buffer {
  const handle = openRegularSync(path);
  try {
    const growing = new GrowingBytes(path, fstatSync(handle).size, most);
    for (;;) {
      const { buffer, offset, length } = growing.free();
      const bytesRead = readSync(handle, buffer, offset, length, offset);
      if (bytesRead === 0) return growing.taken();
      growing.add(bytesRead);
    }
  } finally {
    closeSync(handle);
  }
}

/**
 * A regular file that is small and on this disk, read while the caller waits: waking threads for it takes several times
 * as long. Undefined for all others and when it cannot be read: {@link openRegular} says why.
 */
export function readSmallSync(path: string): Buffer | undefined {
  const info = statsIfThere(path);
  if (info === undefined || info.size === 0 || info.size > SMALL_BYTES || !isStored(info)) return undefined;
  try {
    const handle = openKnownSync(path, info);
    try {
      const buffer = Buffer.allocUnsafe(info.size + 1);
      return readSync(handle, buffer, 0, buffer.length, 0) === info.size ? buffer.subarray(0, info.size) : undefined;
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

/** False for a file whose contents are elsewhere, as of a folder that is kept in a cloud. */
function isStored({ size, blocks }: Stats): boolean {
  return blocks * BLOCK_BYTES >= size;
}

/** {@link openRegular} for reading, while the caller waits. */
export function openRegularSync(path: string): number {
  return openKnownSync(path, statSync(path, { throwIfNoEntry: false }));
}

function openKnownSync(path: string, info: Stats | undefined): number {
  refuseSpecial(path, info);
  const handle = openSync(path, constants.O_RDONLY | NON_BLOCKING);
  try {
    refuseSpecial(path, fstatSync(handle));
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** Synchronous: waking a thread takes longer than the call. */
function statsIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // Who opens it is told why.
  }
}

function refuseSpecial(path: string, info: Stats | undefined): void {
  if (info === undefined || info.isFile()) return;
  if (info.isDirectory()) throw new SpecialFileError(path, 'folder');
  if (info.isFIFO()) throw new SpecialFileError(path, 'named pipe');
  throw new SpecialFileError(path, info.isSocket() ? 'socket' : 'device');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Bytes of a file whose size may be wrong, because it grows while it is read, or the system makes its content. */
class GrowingBytes {
  private buffer: Buffer;
  private length = 0;

  constructor(
    private readonly path: string,
    expected: number,
    private readonly most: number,
  ) {
    if (expected > most) throw new FileTooLargeError(path, most);
    // One more, so that the end is seen without growing.
    this.buffer = Buffer.allocUnsafe(Math.max(expected, 4095) + 1);
  }

  free(): { readonly buffer: Buffer; readonly offset: number; readonly length: number } {
    if (this.length === this.buffer.length) {
      this.buffer = Buffer.concat([this.buffer], Math.min(this.length * 2, this.most + 4096));
    }
    const length = Math.min(this.buffer.length - this.length, SLICE_BYTES);
    return { buffer: this.buffer, offset: this.length, length };
  }

  add(bytes: number): void {
    this.length += bytes;
    if (this.length > this.most) throw new FileTooLargeError(this.path, this.most);
  }

  taken(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}
