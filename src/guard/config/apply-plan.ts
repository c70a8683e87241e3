import { chmod, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { noteOwnText } from '../../base/files/counted-text';
import { messageOf } from '../../base/errors';
import { configurationText } from './formats/configuration-text';
import type { FileChange, GuardPlan } from './plan-guard';

/**
 * Writes what was planned. Each file is replaced as a whole and keeps its mode; the target of a link is written, and the link stays.
 * @throws ChangedSinceError, if a file is not as it was when it was planned; Error that names the file, if it cannot be written;
 *   neither that file nor the ones after it are then changed
 */
export async function applyPlan({ changes }: Pick<GuardPlan, 'changes'>): Promise<void> {
  for (const change of changes) await refuseIfChanged(change);
  for (const change of changes) {
    try {
      await mkdir(dirname(change.file), { recursive: true });
      await withFileLock(change.file, () => apply(change));
    } catch (error) {
      if (error instanceof ChangedSinceError) throw error;
      throw new Error(`${change.file} cannot be written: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** A file is not as it was when its change was planned. */
export class ChangedSinceError extends Error {
  override readonly name = 'ChangedSinceError';
}

async function refuseIfChanged({ file, before }: FileChange): Promise<void> {
  if ((await configurationText(file)) === before) return;
  throw new ChangedSinceError(`${file} changed in the meantime, and was not written. Try again.`);
}

async function apply(change: FileChange): Promise<void> {
  await refuseIfChanged(change);
  const { file, before, after, mode, backup } = change;
  if (backup.does === 'write' && before !== undefined) await replaceFile(backup.file, before, 0o600);
  if (after === undefined) await rm(file);
  else await replaceFile(file, after, mode ?? 0o600);
  if (after !== undefined && mode !== undefined) await chmod(file, mode);
  noteOwnText(file, after ?? '');
  if (backup.does === 'remove') await rm(backup.file, { force: true });
}
