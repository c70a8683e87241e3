import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the system keeps what a program must not lose, absolute: one folder for windows and command lines of a user. */
export function stateFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = env;
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'hookline', 'state');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'hookline');
  return join(state === undefined || state === '' ? join(home, '.local', 'state') : state, 'hookline');
}
