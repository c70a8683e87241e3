import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 100;
/** A lock whose folder was not touched for this long belongs to a process that is gone. */
const STALE_MS = 30_000;
const TOUCH_MS = 5_000;
const WAIT_LIMIT_MS = 40_000;

/**
 * Runs `action` while no other process that keeps to `<file>.lock` does; pi uses the same folder name for the same file.
 * @throws when the lock stays taken, or what `action` throws
 */
export async function withFileLock<T>(file: string, action: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  await acquire(lock, file);
  const touch = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now).catch(() => undefined); // taken away by somebody who thought us gone: nothing to save
  }, TOUCH_MS);
  try {
    return await action();
  } finally {
    clearInterval(touch);
    await rm(lock, { recursive: true, force: true });
  }
}

async function acquire(lock: string, file: string): Promise<void> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      await mkdir(lock);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (waited >= WAIT_LIMIT_MS) throw new Error(`${file} is locked by another process (${lock}).`);
    if (await isStale(lock)) await rm(lock, { recursive: true, force: true });
    else await pause(RETRY_MS);
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > STALE_MS;
  } catch {
    // Released between the two looks.
    return false;
  }
}
