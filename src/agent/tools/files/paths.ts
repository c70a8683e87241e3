import { homedir } from 'node:os';
import { posix, win32, type PlatformPath } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isReachable } from '../../../base/files/on-disk';

/** Where paths are resolved; given by tests, taken from the machine otherwise. */
export interface PathContext {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly exists: (absolutePath: string) => boolean;
}

const UNICODE_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** The absolute path that a model's `path` argument means, by rules alone (`@`, `~`, Unicode spaces, `file:`). */
export function resolveToCwd(path: string, cwd: string, context: PathContext = machine()): string {
  return absolute(tidy(path), cwd, context);
}

/**
 * Like {@link resolveToCwd}, but a path that exists as it was written wins (`@scope/x`, a name with a no-break space),
 * and spellings that models get wrong for macOS screenshot names are tried. Falls back to {@link resolveToCwd}.
 */
export function resolveExisting(path: string, cwd: string, context: PathContext = machine()): string {
  const literal = absolute(path, cwd, context);
  if (context.exists(literal)) return literal;
  const byRule = resolveToCwd(path, cwd, context);
  return [byRule, ...spellings(byRule)].find(candidate => context.exists(candidate)) ?? byRule;
}

/** Where `write` puts a file: an existing one, a new one below an existing `@folder`, else {@link resolveToCwd}. */
export function resolveForWrite(path: string, cwd: string, context: PathContext = machine()): string {
  const slash = path.search(/[\\/]/);
  const below = path.startsWith('@') && slash > 0 ? absolute(path.slice(0, slash), cwd, context) : undefined;
  if (below !== undefined && context.exists(below)) return absolute(path, cwd, context);
  const literal = absolute(path, cwd, context);
  return context.exists(literal) ? literal : resolveToCwd(path, cwd, context);
}

function machine(): PathContext {
  return { platform: process.platform, home: homedir(), exists: isReachable };
}

function tidy(path: string): string {
  return (path.startsWith('@') ? path.slice(1) : path).replace(UNICODE_SPACES, ' ');
}

function absolute(path: string, cwd: string, context: PathContext): string {
  const paths: PlatformPath = context.platform === 'win32' ? win32 : posix;
  if (/^file:\/\//i.test(path)) {
    const local = fromUrl(path, context.platform);
    if (local !== undefined) return paths.normalize(local);
  }
  const shaped = context.platform === 'win32' ? fromGitBash(path) : path;
  if (shaped === '~') return context.home;
  if (/^~[\\/]/.test(shaped)) return paths.join(context.home, shaped.slice(2));
  return paths.resolve(cwd, shaped);
}

function fromUrl(path: string, platform: NodeJS.Platform): string | undefined {
  try {
    return fileURLToPath(path, { windows: platform === 'win32' });
  } catch {
    // Not a well-formed local file URL: it is then taken as a plain path, and reported as missing.
    return undefined;
  }
}

/** Git Bash prints `C:\x` as `/c/x`, and models repeat that. */
function fromGitBash(path: string): string {
  return path.replace(/^\/([a-zA-Z])(?=\/|$)/, (_match, drive: string) => `${drive.toUpperCase()}:/`);
}

/** macOS: a narrow no-break space before AM/PM, curly apostrophes, decomposed accents. */
function spellings(path: string): string[] {
  const decomposed = path.normalize('NFD');
  return [
    path.replace(/ (AM|PM)\./gi, '\u202f$1.'),
    decomposed,
    path.replaceAll("'", '\u2019'),
    decomposed.replaceAll("'", '\u2019'),
    path.normalize('NFC'),
  ];
}
