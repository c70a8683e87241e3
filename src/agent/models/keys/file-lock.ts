import { randomBytes } from 'node:crypto';
import { open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isCode, messageOf } from '../../../base/errors';

/** A lock that was not refreshed for this long belongs to a process that has ended; ms. pi uses the same limit. */
const STALE_MS = 30_000;
/** Longer than a dead process can hold the lock; ms. */
const WAIT_MS = 40_000;
const RETRY_MS = 100;
/** The end of the name of a file that is being written. */
const DRAFT_END = /\.[0-9a-f]{12}\.tmp$/;

/** Another process holds the lock of a file. */
export class FileLockedError extends Error {
  override readonly name = 'FileLockedError';

  constructor(
    readonly file: string,
    target: string,
    cause: Error,
  ) {
    super(`${file} is locked by another process (${target}.lock): ${messageOf(cause)}`, { cause });
  }
}

/**
 * Runs `action` while no other process does that locks this file by the protocol of `proper-lockfile`, as pi does.
 * @throws FileLockedError when the lock stays taken for `waitMs`; Error that names the file at once when there can be no
 *   lock, as in a folder that cannot be written; what `action` throws
 */
export async function withFileLock<T>(file: string, action: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  const release = await acquire(file, waitMs);
  try {
    return await action();
  } finally {
    await release().catch(() => undefined); // Another process considered the lock stale: there is nothing to release.
  }
}

async function acquire(file: string, waitMs: number): Promise<() => Promise<void>> {
  // Loaded late, because it listens for the end of the process from then on. A bundle gives CommonJS packages only as `default`.
  const { default: lockfile } = await import('proper-lockfile');
  // pi locks the target of a link. A file that does not exist yet has no other name.
  const target = await realpath(file).catch(() => file);
  // The library would also wait for a folder in which no lock can be made.
  for (let left = Math.ceil(waitMs / RETRY_MS); ; left--) {
    try {
      // Without `onCompromised` the library throws out of a timer, which would end the process.
      return await lockfile.lock(target, { realpath: false, stale: STALE_MS, onCompromised: () => undefined });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!isCode(error, 'ELOCKED')) throw new Error(`${file} cannot be locked: ${error.message}`, { cause: error });
      if (left <= 0) throw new FileLockedError(file, target, error);
    }
    await setTimeout(RETRY_MS);
  }
}

/**
 * Gives a file new content that only its owner may read; others see the old content or the new one. To be called within
 * {@link withFileLock} of the file: drafts of a process that was killed in between are removed, since they may hold keys.
 */
export async function replaceLocked(file: string, content: string): Promise<void> {
  const target = await realpath(file).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return file;
    throw error;
  });
  const folder = dirname(target);
  const isDraft = (name: string): boolean => name.startsWith(`.${basename(target)}.`) && DRAFT_END.test(name);
  const left = (await readdir(folder)).filter(isDraft);
  await Promise.all(left.map(name => rm(join(folder, name), { force: true })));
  const draft = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const opened = await open(draft, 'wx', 0o600);
    try {
      await opened.writeFile(content);
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
