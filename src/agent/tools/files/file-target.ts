import { AsyncLocalStorage } from 'node:async_hooks';
import { lstatSync, realpathSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';

/** The file or folder that a call was allowed to use. It is plain data, so that it can be sent to another process. */
export interface FileTarget {
  /** Absolute, without links. */
  readonly real: string;
  /** What is there, as {@link identityOf} says; absent: nothing. */
  readonly file?: string;
  /** The innermost folder above it that exists. */
  readonly folder: { readonly path: string; readonly identity: string };
  /** The file has more than one name. */
  readonly isLinked: boolean;
  /** The user was asked about the call, so exactly this file must still be there. */
  readonly isAsked: boolean;
}

/** Thrown instead of using a file that is not the one that was allowed. */
export class ChangedTargetError extends Error {
  override readonly name = 'ChangedTargetError';

  constructor(path: string, what: string) {
    super(`${path} was not used: ${what} since the call was approved. Look at it again, then repeat the call.`);
  }
}

/** Identifies a file among all files of this machine, as long as it exists. */
export function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** The target at a real path. Undefined if a folder above it cannot be read, or is not a folder. */
export function targetAt(real: string): FileTarget | undefined {
  try {
    const file = lstatSync(real, { bigint: true, throwIfNoEntry: false });
    const folder = folderAbove(real);
    if (folder === undefined) return undefined;
    const isLinked = file !== undefined && hasOtherNames(file);
    return { real, ...(file === undefined ? {} : { file: identityOf(file) }), folder, isLinked, isAsked: false };
  } catch {
    return undefined; // The tool reports why the file cannot be used.
  }
}

/** Whether the file has other names (hard links), so that writing to it changes it under them, too. */
export function hasOtherNames(info: Pick<BigIntStats, 'nlink' | 'isFile'>): boolean {
  return info.isFile() && info.nlink > 1n;
}

function folderAbove(real: string): FileTarget['folder'] | undefined {
  for (let path = dirname(real); ; path = dirname(path)) {
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (info !== undefined) return info.isDirectory() ? { path, identity: identityOf(info) } : undefined;
    if (path === dirname(path)) return undefined;
  }
}

/** Whether both are the same file in the same place. */
export function isSameTarget(one: FileTarget, other: FileTarget): boolean {
  return one.real === other.real && one.file === other.file && one.folder.identity === other.folder.identity;
}

/**
 * Throws {@link ChangedTargetError} if what is at the target now is not what was allowed. `now`: what was found there;
 * undefined if nothing was. `path` is what the error names.
 */
export function refuseChanged(target: FileTarget, now: BigIntStats | undefined, path: string): void {
  if (now?.isSymbolicLink() === true) throw new ChangedTargetError(path, 'it was replaced by a link');
  if (now !== undefined && hasOtherNames(now) && !target.isLinked) {
    throw new ChangedTargetError(path, 'it got another name (a hard link)');
  }
  const identity = now === undefined ? undefined : identityOf(now);
  if (
    !target.isAsked ||
    identity === target.file ||
    (identity !== undefined && written.get(target.real) === identity)
  ) {
    return;
  }
  if (identity === undefined) throw new ChangedTargetError(path, 'it was removed');
  throw new ChangedTargetError(path, target.file === undefined ? 'it was created' : 'it was replaced');
}

/** {@link refuseChanged} for a file or folder that is only read; `path` is what the error names. */
export function checkTarget(target: FileTarget, path: string): void {
  if (!target.isAsked) return;
  const now = lstatSync(target.real, { bigint: true, throwIfNoEntry: false });
  refuseChanged({ ...target, isLinked: true }, now, path);
  refuseMoved(target.real, realPathNow(target.real), path);
}

/** {@link checkTarget} before and after a call reads; what was read of another file is dropped. */
export async function whileUnchanged<T>(
  target: FileTarget | undefined,
  path: string,
  read: () => Promise<T>,
): Promise<T> {
  if (target === undefined) return await read();
  checkTarget(target, path);
  const result = await read();
  checkTarget(target, path);
  return result;
}

/** Throws {@link ChangedTargetError} if a path leads to another place than before. */
export function refuseMoved(real: string, now: string | undefined, path: string): void {
  if (now !== real) throw new ChangedTargetError(path, `it leads to ${now ?? 'nothing'}`);
}

function realPathNow(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // It was removed.
  }
}

/** How many written files are remembered. */
const MOST_WRITTEN = 1_000;

/**
 * What our tools wrote, by real path. All calls of an answer may be approved before the first one runs, and a file that the first
 * one replaced is still the one that was approved.
 */
const written = new Map<string, string>();

/** Remembers the file that a tool left at a target. */
export function noteWritten({ real }: FileTarget, info: BigIntStats): void {
  written.delete(real);
  written.set(real, identityOf(info));
  for (const oldest of written.keys()) {
    if (written.size <= MOST_WRITTEN) break;
    written.delete(oldest);
  }
}

const targets = new AsyncLocalStorage<FileTarget | undefined>();

/** Runs a call that was allowed to use a file. Undefined: nothing is known about its file. */
export function withTarget<T>(target: FileTarget | undefined, call: () => T): T {
  return targets.run(target, call);
}

/** The target of the call that runs; undefined for a call that passed no gate, and for one without a file. */
export function currentTarget(): FileTarget | undefined {
  return targets.getStore();
}
