import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file in one step, so that no reader sees a part of it: `write` gets the path of a draft beside it. When that
 * fails, the draft is removed and the file stays as it is.
 */
export async function replaceByDraft<T>(path: string, write: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const result = await write(draft);
    await rename(draft, path);
    return result;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Removes what a killed process left while it rewrote a file, or of its lock; called by the holder of the lock. */
export async function removeDrafts(path: string): Promise<void> {
  const [dir, name] = [dirname(path), basename(path)];
  const isDraft = (other: string): boolean =>
    (other.startsWith(`${name}.`) && other.endsWith('.tmp') && UUID.test(other.slice(name.length + 1, -4))) ||
    (other.startsWith(`${name}.lock.`) && UUID.test(other.slice(name.length + 6)));
  for (const other of await readdir(dir)) if (isDraft(other)) await rm(join(dir, other), { force: true });
}
