import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** One queue for all tools of the process, including those of hooks, because they share the files. */
const tails = new Map<string, Promise<unknown>>();

/** Runs `work` after all earlier work on the same file, also if that used another name of it. Other files are not delayed. */
export async function withFileQueue<T>(path: string, work: () => Promise<T>): Promise<T> {
  const key = keyOf(path);
  const before = tails.get(key) ?? Promise.resolve();
  const run = before.then(work);
  const tail = run.catch(() => undefined);
  tails.set(key, tail);
  try {
    return await run;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}

function keyOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A file that does not exist yet is known by its future path.
    return resolve(path);
  }
}
