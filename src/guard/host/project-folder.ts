import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isFolder, realPathIfThere } from '../../base/files/on-disk';

/**
 * The folder whose hooks guard an agent that was started in this one (absolute, real): the nearest at or above it that has a
 * `.pi` folder, since people start agents below the folder of their project, too. Without one it is the folder itself. The home
 * folder is no project: its `.pi` is the user's.
 */
export function projectFolder(startedIn: string, home = realPathIfThere(homedir())): string {
  if (!isFolder(startedIn)) return startedIn;
  for (let folder = startedIn; folder !== home && folder !== dirname(folder); folder = dirname(folder)) {
    if (isFolder(join(folder, '.pi'))) return folder;
  }
  return startedIn;
}
