import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { GuardPlace } from '../../guard/protocol/place';
import type { ExtensionFiles } from './own-client';

/**
 * Starts the host of the guard unless one runs. It is a process of its own, which does not end with this window.
 * @throws Error that says why it did not start
 */
export async function startHost(place: GuardPlace, { dir }: ExtensionFiles): Promise<void> {
  // In the desktop, the program of the extension host is Electron.
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const args = [join(dir, 'dist', 'cli.js'), 'guard', 'start'];
  await promisify(execFile)(process.execPath, args, { cwd: place.folder, env, windowsHide: true });
}
