import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { expandHome } from '../agent/settings/configured-path';

/** Absolute path of the folder for state that must not be lost; all windows and command lines of a user share it. */
export function stateFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = env;
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'hookline', 'state');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'hookline');
  return join(absoluteOr(state, join(home, '.local', 'state')), 'hookline');
}

/** Absolute path of the folder of the command line for what can be made again. */
export function cacheFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  const { XDG_CACHE_HOME: cache, LOCALAPPDATA: local } = env;
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'hookline');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'hookline');
  return join(absoluteOr(cache, join(home, '.cache')), 'hookline');
}

/** Path of pi's agent folder: the setting, else `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function agentDirFrom(setting: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const given = setting ?? env['PI_CODING_AGENT_DIR'];
  if (given === undefined || given.trim() === '') return join(homedir(), '.pi', 'agent');
  return expandHome(given);
}

/** Absolute path of the folder with the bytecode of our own code, which the command line and all windows share. */
export function bytecodeFolder(): string {
  return join(cacheFolder(), 'bytecode');
}

/** The path that a variable gives. A relative one does not count, as the XDG specification says. */
function absoluteOr(given: string | undefined, usual: string): string {
  return given !== undefined && isAbsolute(given) ? given : usual;
}
