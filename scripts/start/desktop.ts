import { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath } from '@vscode/test-electron';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UserError } from '../support/fail.mjs';
import { cacheFolder } from '../support/paths.ts';
import { spawnTree } from '../support/processes.ts';
import { QUIET } from '../support/user-settings.ts';
import type { Place } from './place.ts';

/** A VS Code that was started. */
export interface Running {
  /** Resolves when it has ended, as when its window is closed. */
  readonly ended: Promise<void>;
  /** Leaves no process behind. */
  stop(): Promise<void>;
}

interface Opening {
  readonly code: string;
  readonly vsixes: readonly string[];
  readonly place: Place;
}

/** Whether a window could be seen on this machine. */
export function hasDisplay(): boolean {
  if (process.platform === 'win32' || process.platform === 'darwin') return !process.env['SSH_CONNECTION'];
  return Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
}

/** Path of the command line of an installed desktop VS Code. */
export function installedDesktop(): string | undefined {
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  if (process.platform === 'darwin') folders.push('/Applications/Visual Studio Code.app/Contents/Resources/app/bin');
  return folders.map(folder => join(folder, name)).find(path => existsSync(path));
}

/**
 * Downloads a desktop VS Code into the cache, once. Resolves with the path of its command line.
 * @throws {UserError} when the network does not allow it
 */
export async function downloadDesktop(): Promise<string> {
  try {
    const program = await downloadAndUnzipVSCode({ cachePath: join(cacheFolder(), 'desktop') });
    const [commandLine = program] = resolveCliArgsFromVSCodeExecutablePath(program, { reuseMachineInstall: true });
    return commandLine;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`--desktop: a desktop VS Code could not be downloaded (${reason})`);
  }
}

/**
 * Opens a desktop VS Code with user data of its own, so that the person's settings and extensions stay as they are. `code`
 * is the path of its command line.
 * @throws {UserError} when it does not take the extension
 */
export function openDesktop({ code, vsixes, place }: Opening): Running {
  const own = ['--user-data-dir', place.serverDataDir, '--extensions-dir', place.extensionsDir];
  mkdirSync(join(place.serverDataDir, 'User'), { recursive: true });
  const settings = { ...QUIET, 'security.workspace.trust.enabled': false };
  writeFileSync(join(place.serverDataDir, 'User', 'settings.json'), JSON.stringify(settings, null, 2));
  const shell = process.platform === 'win32';
  const install = vsixes.flatMap(vsix => ['--install-extension', vsix]);
  const { status, stderr } = spawnSync(code, [...own, ...install, '--force'], { encoding: 'utf8', shell });
  if (status !== 0) throw new UserError(`${code} did not install Hookline:\n${stderr}`);
  const tree = spawnTree(code, [...own, '--new-window', '--wait', place.workspace], { stdio: 'inherit', shell });
  const ended = new Promise<void>(resolve => tree.child.once('exit', () => resolve()));
  return { ended, stop: () => tree.end() };
}
