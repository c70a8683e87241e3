import { constants, existsSync, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { errorCode } from '../../result';
import {
  ChangedTargetError,
  identityOf,
  noteWritten,
  refuseChanged,
  refuseMoved,
  type FileTarget,
} from '../file-target';
import { overwriteAt } from './overwrite-file';
import type { WriteRecords } from './write-records';

/** Opens a folder without the right to read it, on Linux; Node does not name this flag of `open(2)`. */
const O_PATH = 0x20_0000;

/** Whether a folder can be used through its handle, so that nobody can swap it meanwhile. */
const HAS_HANDLE_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Options of {@link writeTarget}. */
interface Writing {
  /** What errors name. */
  readonly path: string;
  readonly records: WriteRecords | undefined;
}

/**
 * Writes the file that a call was allowed to write, and makes the folders above it that are missing. No link is
 * followed. On Linux, folders are used through their handles; elsewhere, the path is checked before and after each step.
 * @throws ChangedTargetError if the file or a folder above it is not what was allowed; nothing is written then
 */
export async function writeTarget(
  target: FileTarget,
  content: string | readonly Buffer[],
  { path, records }: Writing,
): Promise<void> {
  const write = (file: string): Promise<void> => writeAt(file, target, content, { path, records });
  await (HAS_HANDLE_PATHS ? throughHandles(target, path, write) : byPath(target, path, write));
}

async function writeAt(
  file: string,
  target: FileTarget,
  content: string | readonly Buffer[],
  { path, records }: Writing,
): Promise<void> {
  const before = await lookAt(file);
  refuseChanged(target, before, path);
  const admit = async (info: BigIntStats): Promise<void> => {
    refuseChanged(before === undefined ? { ...target, isAsked: false } : target, info, path);
    if (!HAS_HANDLE_PATHS) await refuseMovedFolder(target, path);
  };
  try {
    await overwriteAt(file, content, { records, real: target.real, admit, isNew: before === undefined });
  } catch (error) {
    const isOther = ['ELOOP', 'EEXIST'].includes(errorCode(error) ?? '');
    throw isOther ? new ChangedTargetError(path, 'it was replaced') : error;
  }
  const after = await lookAt(file);
  if (after !== undefined) noteWritten(target, after);
}

async function lookAt(file: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(file, { bigint: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

type Write = (file: string) => Promise<void>;

async function byPath(target: FileTarget, path: string, write: Write): Promise<void> {
  const { folder, real } = target;
  refuseMoved(folder.path, await realpath(folder.path), path);
  refuseOtherFolder(target, await lstat(folder.path, { bigint: true }), path);
  await mkdir(dirname(real), { recursive: true });
  await refuseMovedFolder(target, path);
  await write(real);
}

async function refuseMovedFolder({ real }: FileTarget, path: string): Promise<void> {
  const folder = dirname(real);
  refuseMoved(folder, await realpath(folder), path);
}

async function throughHandles(target: FileTarget, path: string, write: Write): Promise<void> {
  const { real, folder } = target;
  const handles: FileHandle[] = [];
  const ways = new Map<string, string>();
  /** Opens a folder, and returns the way through its handle. `expected`: its real path. */
  const enter = async (way: string, expected: string): Promise<string> => {
    const handle = await openFolder(way, path);
    handles.push(handle);
    const through = `/proc/self/fd/${handle.fd}`;
    ways.set(through, expected);
    const now = await readlink(through);
    if (now !== expected && !(await isAt(expected, handle))) refuseMoved(expected, now, path);
    if (expected === folder.path) refuseOtherFolder(target, await handle.stat({ bigint: true }), path);
    return through;
  };
  try {
    let at = await enter(folder.path, folder.path);
    let expected = folder.path;
    const missing = relative(folder.path, dirname(real)).split(sep);
    for (const name of missing.filter(name => name !== '')) {
      expected = join(expected, name);
      await makeFolder(`${at}/${name}`);
      at = await enter(`${at}/${name}`, expected);
    }
    await write(`${at}/${basename(real)}`);
  } catch (error) {
    nameRealPaths(error, ways);
    throw error;
  } finally {
    await Promise.all(handles.map(handle => handle.close()));
  }
}

/** Whether an open folder is the one at a real path. The system may show another case of its name. */
async function isAt(path: string, handle: FileHandle): Promise<boolean> {
  try {
    if ((await realpath(path)) !== path) return false;
    return identityOf(await lstat(path, { bigint: true })) === identityOf(await handle.stat({ bigint: true }));
  } catch {
    return false; // It was removed.
  }
}

/** Puts real paths into the text of an error where it names the way through a handle. */
function nameRealPaths(error: unknown, ways: ReadonlyMap<string, string>): void {
  if (!(error instanceof Error)) return;
  for (const [through, real] of ways) error.message = error.message.replaceAll(`${through}/`, join(real, sep));
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

async function openFolder(way: string, path: string): Promise<FileHandle> {
  try {
    return await open(way, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) throw error;
    throw new ChangedTargetError(
      path,
      code === 'ENOENT' ? 'the folder above it was removed' : 'a folder above it was replaced',
    );
  }
}

function refuseOtherFolder({ folder, isAsked }: FileTarget, now: BigIntStats, path: string): void {
  if (isAsked && identityOf(now) !== folder.identity) {
    throw new ChangedTargetError(path, 'a folder above it was replaced');
  }
}
