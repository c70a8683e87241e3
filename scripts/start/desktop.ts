import { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath } from '@vscode/test-electron';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UserError } from '../support/fail.mjs';
import { cacheFolder } from '../support/paths.ts';
import { spawnTree } from '../support/processes.ts';
import { QUIET } from '../support/user-settings.ts';
import { desktopProgram } from './desktop-program.ts';
import type { Place } from './place.ts';

/** A running VS Code. */
export interface Running {
  /** Resolves when it has ended, for example because its window was closed. */
  readonly ended: Promise<void>;
  /** Ends all of its processes. */
  stop(): Promise<void>;
}

interface Opening {
  readonly code: string;
  readonly vsixes: readonly string[];
  readonly place: Place;
}

/** Whether this machine can show a window. */
export function hasDisplay(): boolean {
  if (process.platform === 'win32' || process.platform === 'darwin') return !process.env['SSH_CONNECTION'];
  return Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
}

/** Path of the command line of an installed desktop VS Code; undefined when there is none. */
export function installedDesktop(): string | undefined {
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  if (process.platform === 'darwin') folders.push('/Applications/Visual Studio Code.app/Contents/Resources/app/bin');
  return folders.map(folder => join(folder, name)).find(path => existsSync(path));
}

/**
 * Downloads a desktop VS Code into the cache, once. Resolves with the path of its command line.
 * @throws {UserError} when the download fails
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
 * Opens a desktop VS Code with separate user data, so that the user's own settings and extensions do not change. `code` is
 * the path of its command line.
 * @throws {UserError} when `code` is no VS Code, or does not install the extension
 */
export function openDesktop({ code, vsixes, place }: Opening): Running {
  const own = ['--user-data-dir', place.serverDataDir, '--extensions-dir', place.extensionsDir];
  mkdirSync(join(place.serverDataDir, 'User'), { recursive: true });
  const settings = { ...QUIET, 'security.workspace.trust.enabled': false };
  writeFileSync(join(place.serverDataDir, 'User', 'settings.json'), JSON.stringify(settings, null, 2));
  const program = desktopProgram(code, { platform: process.platform, read: path => readFileSync(path, 'utf8') });
  const env = { ...process.env, ...program.env };
  const install = vsixes.flatMap(vsix => ['--install-extension', vsix]);
  const { status, stderr } = spawnSync(program.file, [...program.args, ...own, ...install, '--force'], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new UserError(`${code} did not install Hookline:\n${stderr}`);
  const args = [...program.args, ...own, '--new-window', '--wait', place.workspace];
  const tree = spawnTree(program.file, args, { stdio: 'inherit', env });
  const ended = new Promise<void>(resolve => tree.child.once('exit', () => resolve()));
  return { ended, stop: () => tree.end() };
}
