import { homedir } from 'node:os';
import { join } from 'node:path';

/** The project's root folder. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Folder for what a run leaves for a person to look at: screenshots, logs, results. Git-ignored. */
export const ARTIFACTS = join(ROOT, 'artifacts');

/**
 * Folder for bundled tests and packaged VSIX files. Git-ignored. `HOOKLINE_OUT` names another one, so that two test runs
 * in one checkout do not disturb each other; it must lie inside of the checkout, where node_modules is found.
 */
export const OUT = process.env['HOOKLINE_OUT'] ?? join(ROOT, 'out');

/** Folder of the built extension. Git-ignored. */
export const DIST = join(ROOT, 'dist');

/**
 * Folder of the built plugin for TypeScript's server. VS Code looks for plugins by name in the `node_modules` of the
 * extension and nowhere else.
 */
export const TYPESCRIPT_PLUGIN = join(ROOT, 'node_modules', 'hookline-typescript-plugin');

/**
 * Absolute path of the folder outside the project that keeps downloads (VS Code's server, a browser, peers) between
 * clones; it may not exist yet. `HOOKLINE_CACHE` overrides the system's place for caches.
 */
export function cacheFolder(): string {
  const { HOOKLINE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (HOOKLINE_CACHE) return HOOKLINE_CACHE;
  if (process.platform === 'win32') {
    return join(LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'hookline', 'Cache');
  }
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'hookline');
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'hookline');
}
