import { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath } from '@vscode/test-electron';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UserError } from '../support/fail.mjs';
import { killTree } from '../support/processes.mjs';
import { cacheFolder } from '../support/paths.mjs';
import { QUIET } from '../support/user-settings.mjs';

/** @returns {boolean} whether a window could be seen on this machine */
export function hasDisplay() {
  if (process.platform === 'win32' || process.platform === 'darwin') return !process.env.SSH_CONNECTION;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** @returns {string | undefined} path of the command line of an installed desktop VS Code */
export function installedDesktop() {
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (process.platform === 'darwin') folders.push('/Applications/Visual Studio Code.app/Contents/Resources/app/bin');
  return folders.map(folder => join(folder, name)).find(path => existsSync(path));
}

/**
 * Downloads a desktop VS Code into the cache, once.
 * @returns {Promise<string>} path of its command line
 * @throws {UserError} when the network does not allow it
 */
export async function downloadDesktop() {
  try {
    const program = await downloadAndUnzipVSCode({ cachePath: join(cacheFolder(), 'desktop') });
    return resolveCliArgsFromVSCodeExecutablePath(program, { reuseMachineInstall: true })[0];
  } catch (error) {
    throw new UserError(`--desktop: a desktop VS Code could not be downloaded (${error.message})`);
  }
}

/**
 * Opens a desktop VS Code with user data of its own, so that the person's settings and extensions stay as they are.
 * @param {{ code: string, vsixes: string[], place: ReturnType<typeof import('./place.mjs').claimPlace> }} options
 * @returns {{ ended: Promise<void>, stop: () => Promise<void> }} `ended` resolves when its window is closed
 * @throws {UserError} when it does not take the extension
 */
export function openDesktop({ code, vsixes, place }) {
  const own = ['--user-data-dir', place.serverDataDir, '--extensions-dir', place.extensionsDir];
  mkdirSync(join(place.serverDataDir, 'User'), { recursive: true });
  const settings = { ...QUIET, 'security.workspace.trust.enabled': false };
  writeFileSync(join(place.serverDataDir, 'User', 'settings.json'), JSON.stringify(settings, null, 2));
  const shell = process.platform === 'win32';
  const install = vsixes.flatMap(vsix => ['--install-extension', vsix]);
  const { status, stderr } = spawnSync(code, [...own, ...install, '--force'], { encoding: 'utf8', shell });
  if (status !== 0) throw new UserError(`${code} did not install Hookline:\n${stderr}`);
  const mark = randomUUID();
  const env = { ...process.env, HOOKLINE_PROCESS_MARK: mark };
  const child = spawn(code, [...own, '--new-window', '--wait', place.workspace], { stdio: 'inherit', shell, env });
  const ended = new Promise(resolve => child.once('exit', () => resolve()));
  return { ended, stop: () => killTree(child.pid, { mark: `HOOKLINE_PROCESS_MARK=${mark}` }) };
}
