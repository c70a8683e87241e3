// This file uses only built-ins of Node 20, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { runMain, isMain, UserError } from './support/fail.mjs';

/**
 * @typedef {Readonly<Record<string, { readonly version?: string, readonly optional?: boolean }>>} LockedPackages
 *   by path relative to the root
 */

const ROOT = join(import.meta.dirname, '..');
const MODULES = join(ROOT, 'node_modules');
const HIDDEN_LOCK = join(MODULES, '.package-lock.json');
const STAMP = join(MODULES, '.hookline-install');

/**
 * Runs `npm ci` when node_modules does not match package-lock.json. Install scripts of packages never run, because none is
 * needed. It is fast and prints nothing when nothing must be installed.
 * @throws {UserError} when npm cannot install
 */
export function ensureInstalled() {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(`${process.platform}-${process.arch}\n${lock}`).digest('hex');
  if (stampedFor(wanted) && directDependenciesPresent()) return;
  if (!installedAsLocked(packagesOf(lock)) || !directDependenciesPresent()) install();
  writeFileSync(STAMP, wanted);
}

/**
 * How to start npm without a shell. During `npm run`, npm sets the path of its own program. On Windows, `npm.cmd` needs a
 * shell, so this finds the program beside it.
 * @param {{ platform: NodeJS.Platform, env: NodeJS.ProcessEnv, exists: (path: string) => boolean }} system
 * @returns {{ file: string, args: string[] }}
 * @throws {UserError} when there is no npm on Windows
 */
export function npmCommand({ platform, env, exists } = { ...process, exists: existsSync }) {
  const running = env['npm_execpath'];
  if (running?.endsWith('.js') && exists(running)) return { file: process.execPath, args: [running] };
  if (platform !== 'win32') return { file: 'npm', args: [] };
  const folders = (env['PATH'] ?? '').split(win32.delimiter).filter(folder => folder !== '');
  const program = folders
    .map(folder => win32.join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'))
    .find(path => exists(path));
  if (program === undefined) throw new UserError('npm was not found on the PATH');
  return { file: process.execPath, args: [program] };
}

/** @param {string} wanted */
function stampedFor(wanted) {
  return existsSync(HIDDEN_LOCK) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted;
}

function directDependenciesPresent() {
  /** @type {Partial<Record<'dependencies' | 'devDependencies', object>>} */
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return names.every(name => existsSync(join(MODULES, name, 'package.json')));
}

/**
 * Compares the lock file with npm's own record of what it installed. Packages for other systems may be missing.
 * @param {LockedPackages} locked
 */
function installedAsLocked(locked) {
  if (!existsSync(HIDDEN_LOCK)) return false;
  const installed = packagesOf(readFileSync(HIDDEN_LOCK, 'utf8'));
  return Object.entries(locked).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? wanted.optional === true : found.version === wanted.version;
  });
}

/** @param {string} lock text of a lock file */
function packagesOf(lock) {
  /** @type {{ readonly packages?: LockedPackages }} */
  const { packages = {} } = JSON.parse(lock);
  return packages;
}

function install() {
  console.log('hookline: installing the locked dependencies (npm ci)');
  const npm = npmCommand();
  const args = [...npm.args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(npm.file, args, { cwd: ROOT, stdio: 'inherit' });
  if (status === 0) return;
  throw new UserError(
    `npm ci failed (${error?.message ?? `exit code ${status}`}), so the dependencies of package-lock.json are not ` +
      'installed. If this machine is offline or behind a proxy, give npm a registry it can reach and run this again.',
  );
}

if (isMain(import.meta.url)) await runMain(ensureInstalled);
