import { homedir } from 'node:os';
import { join } from 'node:path';

/** A path with `~` at its start as the home folder. */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return home;
  return /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}
