import { chmod, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { noteOwnText } from '../../base/files/counted-text';
import { readRegularText } from '../../base/files/regular-file';
import { replaceOwnFile } from '../protocol/own-file';
import { makeGuardFolder, type GuardPlace } from '../protocol/place';
import { isWritten, writeProgram, type GuardProgram } from '../protocol/program';

/**
 * Puts the clients into the guard folder and says which program they start as host. Files that are as they should be are not
 * written. `distDir`: the folder of our own code, absolute. Rejects when the disk does.
 */
export async function installClient(place: GuardPlace, distDir: string, program: GuardProgram): Promise<void> {
  await makeGuardFolder(place);
  const { client, nodeClient, toolServer, nodeToolServer } = place;
  for (const file of [client, nodeClient, toolServer, nodeToolServer]) {
    await installFile(join(distDir, 'guard', 'client', basename(file)), file);
  }
  if (!isWritten(place, program)) await writeProgram(place, program);
}

async function installFile(source: string, target: string): Promise<void> {
  const text = await readRegularText(source);
  const current = await readRegularText(target).catch(() => undefined); // It is replaced.
  if (current !== text) {
    await replaceOwnFile(target, text, 0o700);
    noteOwnText(target, text);
  } else if (((await stat(target)).mode & 0o777) !== 0o700) await chmod(target, 0o700);
}
