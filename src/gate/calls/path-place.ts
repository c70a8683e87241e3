import { posix, win32 } from 'node:path';
import { isBuildPlace } from './build-places';
import { isCodeAtHome, isCodeName, isEditorPlace } from './code-places';
import type { PathPlace } from '../../hook-contract/approvals/asked-call';

/** The folders and files of this machine by which paths are sorted. All are absolute real paths. */
export interface Places {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The workspace folder. */
  readonly cwd: string;
  /** Further folders that count as the workspace; none when absent. */
  readonly folders?: readonly string[];
  /** The agent folder, and the folder where Hookline stores its own data. */
  readonly own: readonly string[];
  /** The folders of the editor that runs Hookline: its settings and its extensions. */
  readonly editor: readonly string[];
  readonly temporary: readonly string[];
  /** Files of hooks. */
  readonly hooks: readonly string[];
  /** Files of loaded hooks, and the files that they import. */
  readonly hookFiles: readonly string[];
}

/** The kind of place of a file, by which the gate decides; `real` is its absolute real path. */
export function pathPlace(real: string, places: Places): PathPlace {
  const { platform, cwd, folders = [], temporary } = places;
  if (platform === 'win32' && isOddOnWindows(real)) return 'unclear';
  const inWorkspace = [cwd, ...folders].map(folder => below(real, folder, platform)).find(path => path !== undefined);
  // If the workspace itself is below a folder of code, only the names inside of it count. Further folders may be the code.
  if (hasCodeName(below(real, cwd, platform) ?? real) || isCode(real, places)) return 'code';
  if (inWorkspace !== undefined) return isBuildPlace(inWorkspace) ? 'build' : 'workspace';
  return temporary.some(folder => below(real, folder, platform) !== undefined) ? 'temporary' : 'outside';
}

/** Files in the folders that are searched for hooks, from the agent folder or `.pi` on. */
const SEARCHED = /^(?:hooks\/[^/]+\.ts|extensions\/[^/]+(?:\/index)?\.[jt]s)$/i;

/** Whether Hookline runs a file as a hook, or would once the file is there; `real` is its absolute real path. */
export function runsAsHook(real: string, { platform, cwd, own, hooks }: Places): boolean {
  const paths = platform === 'win32' ? win32 : posix;
  const path = fold(real, platform);
  if (hooks.some(hook => fold(hook, platform) === path)) return true;
  return [paths.join(cwd, '.pi'), ...own].some(folder => {
    const inside = below(real, folder, platform);
    return inside !== undefined && SEARCHED.test(inside) && !inside.endsWith('.d.ts');
  });
}

function hasCodeName(path: string): boolean {
  // Folders of Linux may ignore case, too, as those of Windows do that it shows.
  return namesOf(path).some(name => isCodeName(name.toLowerCase()));
}

function isCode(real: string, places: Places): boolean {
  const { platform, home, own, cwd } = places;
  if (own.some(folder => below(real, folder, platform) !== undefined)) return true;
  const atHome = below(real, home, platform);
  if (atHome !== undefined && isCodeAtHome(atHome, name => fold(name, platform))) return true;
  const isOutside = below(real, cwd, platform) === undefined;
  return (isOutside && (isEditorPlace(namesOf(real).join('/')) || isOfEditor(real, places))) || isHook(real, places);
}

/** Whether a path is in a folder of this editor; a folder around the workspace does not count. */
function isOfEditor(real: string, { platform, cwd, editor }: Places): boolean {
  return editor.some(
    folder => below(cwd, folder, platform) === undefined && below(real, folder, platform) !== undefined,
  );
}

/** Whether a path is a file of a hook, or a module in the folder of one, from which hooks would be loaded. */
function isHook(real: string, { platform, cwd, hookFiles }: Places): boolean {
  const paths = platform === 'win32' ? win32 : posix;
  const path = fold(real, platform);
  const folder = fold(paths.dirname(real), platform);
  const mayBeModule = folder !== fold(cwd, platform) && /\.[cm]?[jt]sx?$/i.test(real);
  return hookFiles.some(
    file => fold(file, platform) === path || (mayBeModule && fold(paths.dirname(file), platform) === folder),
  );
}

/** The path from a folder to what is below it, with `/`; empty for the folder itself, undefined for other paths. */
function below(path: string, folder: string, platform: NodeJS.Platform): string | undefined {
  const paths = platform === 'win32' ? win32 : posix;
  const inside = paths.relative(fold(folder, platform), fold(path, platform));
  if (inside === '..' || inside.startsWith(`..${paths.sep}`) || paths.isAbsolute(inside)) return undefined;
  return inside.split(paths.sep).join('/');
}

function namesOf(path: string): readonly string[] {
  return path.split(/[\\/]/);
}

/** Makes paths comparable: macOS and Windows ignore case, and macOS ignores how accents are encoded. */
function fold(path: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return path.normalize('NFC').toLowerCase();
  return platform === 'win32' ? path.toLowerCase() : path;
}

const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/** A drive of a machine by the share that administrators have of it, and any share of this machine by a name for it. */
const DRIVE_AS_SHARE = /^[\\/]{2}(?:[^\\/]+[\\/][a-z]\$|localhost[\\/]|127\.[\d.]+[\\/])/i;

/**
 * Whether Windows may open another file than the path seems to name: a stream, a device, a short name, a name that ends
 * with dots or blanks, which Windows drops, a path with a prefix that turns off the rules for names, or a share of this machine,
 * which may be a folder that has another path, too.
 */
export function isOddOnWindows(path: string): boolean {
  if (/^[\\/]{2}[?.][\\/]/.test(path) || DRIVE_AS_SHARE.test(path)) return true;
  const [, ...names] = path.replace(/^[a-zA-Z]:/, '').split(/[\\/]/);
  return names.some(
    name =>
      name.includes(':') || /[. ]$/.test(name) || /~\d/.test(name) || /[<>"|?*\p{Cc}]/u.test(name) || DEVICE.test(name),
  );
}
