import { homedir } from 'node:os';
import { join } from 'node:path';

/** The project's root folder. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Folder for files of a run that developers look at: screenshots, logs, results. Git-ignored. */
export const ARTIFACTS = join(ROOT, 'artifacts');

/**
 * Folder for bundled tests and packaged VSIX files. Git-ignored. `HOOKLINE_OUT` sets another one, so that two test runs in
 * one checkout do not disturb each other. It must be inside of the checkout, where tests find node_modules.
 */
export const OUT = process.env['HOOKLINE_OUT'] ?? join(ROOT, 'out');

/** Folder of the built extension. Git-ignored. */
export const DIST = join(ROOT, 'dist');

/**
 * Folder of the built plugin for TypeScript's server. VS Code looks for plugins only in the `node_modules` of the extension.
 */
export const TYPESCRIPT_PLUGIN = join(ROOT, 'node_modules', 'hookline-typescript-plugin');

/**
 * Absolute path of the folder outside of the project with downloads that all clones share (VS Code's server, a browser,
 * peers). It may not exist yet. `HOOKLINE_CACHE` overrides the system's folder for caches.
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
