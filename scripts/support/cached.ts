import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { npmCommand } from '../install.mjs';
import { UserError } from './fail.mjs';
import { cacheFolder } from './paths.ts';

const A_DAY = 24 * 60 * 60 * 1000;

/**
 * A folder in the cache that is made once. It is filled under a temporary name and renamed when it is complete, so that an
 * interrupted run leaves no incomplete folder, and runs at the same time do not disturb each other. `path` is relative to
 * the cache folder and must contain the version of the content. Resolves with the absolute path of the complete folder.
 */
export async function cachedFolder(
  path: readonly string[],
  fill: (folder: string) => void | Promise<void>,
): Promise<string> {
  const target = join(cacheFolder(), ...path);
  if (existsSync(target)) return target;
  removeAbandoned(target);
  const draft = `${target}.draft-${process.pid}-${Date.now()}`;
  mkdirSync(draft, { recursive: true });
  try {
    await fill(draft);
    publish(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

/**
 * Installs packages such as `name@1.2.3` into a folder outside of the project, without their install scripts. For an empty
 * list, installs the dependencies of the folder's own package.json.
 * @throws {UserError} when npm fails
 */
export function npmInstall(folder: string, packages: readonly string[]): void {
  const npm = npmCommand();
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(npm.file, [...npm.args, 'install', ...options, ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0) return;
  const what = packages.length > 0 ? packages.join(' ') : `the packages of ${basename(folder)}`;
  throw new UserError(`npm could not install ${what} (${error?.message ?? `exit code ${String(status)}`})`);
}

function publish(draft: string, target: string): void {
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another run was faster, so its folder is used.
    if (!existsSync(target)) throw error;
  }
}

function removeAbandoned(target: string): void {
  const folder = dirname(target);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(target)}.draft-`)) continue;
    const draft = join(folder, name);
    const age = Date.now() - (statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > A_DAY) rmSync(draft, { recursive: true, force: true });
  }
}
