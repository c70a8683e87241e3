import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The user "nobody". */
const NOBODY = 65_534;

/**
 * Runs something with a folder of its own, whose absolute path it gets, as a user to whom files can be closed: to root, none
 * is. While it runs, the whole process works as that user.
 */
export async function asOrdinaryUser(run: (folder: string) => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  // The temporary folder of a run may be closed to others.
  const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'hookline-user-'));
  try {
    if (isRoot) {
      chownSync(folder, NOBODY, NOBODY);
      process.seteuid?.(NOBODY);
    }
    await run(folder);
  } finally {
    if (isRoot) process.seteuid?.(0);
    rmSync(folder, { recursive: true, force: true });
  }
}
