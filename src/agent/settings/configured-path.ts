import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path with `~` at its start as the home folder. */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === '~') return home;
  return /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}

/** A configured path as an absolute one: `~` is the home folder, `file:` a URL, relative paths start at `base`. */
export function resourcePath(path: string, base: string, home: string = homedir()): string {
  const plain = path.trim();
  const named = plain.startsWith('file://') ? fileURLToPath(plain) : expandHome(plain, home);
  return isAbsolute(named) ? resolve(named) : resolve(base, named);
}
