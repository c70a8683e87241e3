import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Gives a file of the guard folder new content, and this mode; others see the old file or the new one, never a part of it.
 * Rejects when the disk does; the old file is then still there.
 */
export async function replaceOwnFile(path: string, content: string, mode: 0o600 | 0o700): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
