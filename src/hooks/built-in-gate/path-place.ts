import { posix, win32 } from 'node:path';

/** What kind of place a file is written to. */
export type PathPlace =
  | 'workspace'
  /** Programs run what is there: of git, of the editor, of shells, of the agent and its hooks. */
  | 'code'
  /** A folder for temporary files. */
  | 'temporary'
  | 'outside'
  /** Nobody can tell where the path leads. */
  | 'unclear';

/** Where on this machine what lies. Absolute real paths. */
export interface Places {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The workspace folder. */
  readonly cwd: string;
  /** The agent folder, and where Hookline keeps what it knows. */
  readonly own: readonly string[];
  readonly temporary: readonly string[];
  /** Files of hooks that are loaded, and what they import. */
  readonly hookFiles: readonly string[];
}

/** Names of folders and files that run code, wherever they are. */
const CODE_NAMES = new Set([
  ...['.git', '.vscode', '.vscode-server', '.devcontainer', '.husky', '.githooks', '.pi', '.omp', '.claude', '.gsd'],
]);

/** Files and folders below the home folder that shells, sessions of the desktop and programs run or obey. */
const CODE_AT_HOME = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc', '.kshrc'],
  ...[
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.cshrc',
    '.tcshrc',
    '.login',
    '.xprofile',
    '.xsessionrc',
  ],
  ...[
    '.gitconfig',
    '.config/git',
    '.ssh',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.vimrc',
    '.config/nvim',
    '.emacs',
    '.emacs.d',
  ],
  ...[
    '.config/fish',
    '.config/powershell',
    '.config/autostart',
    '.config/systemd',
    '.config/environment.d',
    '.config/Code',
  ],
  ...['.local/bin', 'bin', '.local/share/systemd', 'Library/LaunchAgents', 'Library/Application Support/Code'],
  ...['Documents/PowerShell', 'Documents/WindowsPowerShell', 'AppData/Roaming/Code', '.oh-my-zsh', '.tmux.conf'],
  ...['AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup'],
];

/** Sorts the real path of a file. */
export function pathPlace(real: string, places: Places): PathPlace {
  const { platform } = places;
  if (platform === 'win32' && isOddOnWindows(real)) return 'unclear';
  const within = (folder: string): string | undefined => below(real, folder, platform);
  if (isCode(real, places)) return 'code';
  if (within(places.cwd) !== undefined) return 'workspace';
  return places.temporary.some(folder => within(folder) !== undefined) ? 'temporary' : 'outside';
}

function isCode(real: string, { platform, home, cwd, own, hookFiles }: Places): boolean {
  // A workspace may be below such a folder; what it holds is then judged by the names inside of it.
  const names = namesOf(below(real, cwd, platform) ?? real);
  if (
    names.some(name => CODE_NAMES.has(fold(name, platform))) ||
    fold(names.at(-1) ?? '', platform).endsWith('.code-workspace')
  ) {
    return true;
  }
  if (own.some(folder => below(real, folder, platform) !== undefined)) return true;
  const atHome = below(real, home, platform);
  if (atHome !== undefined && CODE_AT_HOME.some(name => isAtOrBelow(atHome, fold(name, platform)))) return true;
  return hookFiles.some(file => isHook(real, file, cwd, platform));
}

/** The file itself, or a module beside it, where hooks of a folder would be found. */
function isHook(real: string, file: string, cwd: string, platform: NodeJS.Platform): boolean {
  const paths = platform === 'win32' ? win32 : posix;
  const same = (a: string, b: string): boolean => fold(a, platform) === fold(b, platform);
  if (same(real, file)) return true;
  const folder = paths.dirname(file);
  return !same(folder, cwd) && same(paths.dirname(real), folder) && /\.[cm]?[jt]sx?$/i.test(real);
}

/** The names between a folder and what is below it, joined by `/`; undefined when it is not. Empty: the folder itself. */
function below(path: string, folder: string, platform: NodeJS.Platform): string | undefined {
  const paths = platform === 'win32' ? win32 : posix;
  const inside = paths.relative(fold(folder, platform), fold(path, platform));
  if (inside === '..' || inside.startsWith(`..${paths.sep}`) || paths.isAbsolute(inside)) return undefined;
  return inside.split(paths.sep).join('/');
}

function isAtOrBelow(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`);
}

function namesOf(path: string): readonly string[] {
  return path.split(/[\\/]/);
}

/** As the file system compares names: macOS and Windows mind no case, and macOS no way of writing accents. */
function fold(path: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return path.normalize('NFC').toLowerCase();
  return platform === 'win32' ? path.toLowerCase() : path;
}

const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/**
 * Whether Windows takes a path for another one than it seems to be: a stream, a device, a short name, a name whose dots or
 * blanks at the end are dropped, or a path that passes the rules for names by.
 */
export function isOddOnWindows(path: string): boolean {
  if (/^[\\/]{2}[?.][\\/]/.test(path)) return true;
  const [, ...names] = path.replace(/^[a-zA-Z]:/, '').split(/[\\/]/);
  return names.some(
    name =>
      name.includes(':') || /[. ]$/.test(name) || /~\d/.test(name) || /[<>"|?*\p{Cc}]/u.test(name) || DEVICE.test(name),
  );
}
