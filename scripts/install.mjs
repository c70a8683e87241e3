// Runs on Node 20 built-ins alone: it is what brings everything else.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runMain, isMain, UserError } from './support/fail.mjs';
import { npmCommand } from './support/npm.mjs';
import { ROOT } from './support/paths.mjs';

const MODULES = join(ROOT, 'node_modules');
const HIDDEN_LOCK = join(MODULES, '.package-lock.json');
const STAMP = join(MODULES, '.hookline-install');

/**
 * Makes node_modules agree with package-lock.json, by `npm ci` when it does not. Install scripts of packages never run:
 * nothing here needs one. Quiet and quick when there is nothing to do.
 * @throws {UserError} when npm cannot install
 */
export function ensureInstalled() {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(`${process.platform}-${process.arch}\n${lock}`).digest('hex');
  if (stampedFor(wanted) && directDependenciesPresent()) return;
  if (!installedAsLocked(JSON.parse(lock)) || !directDependenciesPresent()) install();
  writeFileSync(STAMP, wanted);
}

function stampedFor(wanted) {
  return existsSync(HIDDEN_LOCK) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted;
}

function directDependenciesPresent() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return names.every(name => existsSync(join(MODULES, name, 'package.json')));
}

/** Compares with npm's own record of what it installed; packages for other systems may be absent. */
function installedAsLocked(lock) {
  if (!existsSync(HIDDEN_LOCK)) return false;
  const installed = JSON.parse(readFileSync(HIDDEN_LOCK, 'utf8')).packages ?? {};
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? wanted.optional === true : found.version === wanted.version;
  });
}

function install() {
  console.log('hookline: installing the locked dependencies (npm ci)');
  const npm = npmCommand();
  const args = [...npm.args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(npm.file, args, { cwd: ROOT, stdio: 'inherit', shell: npm.shell });
  if (status === 0) return;
  throw new UserError(
    `npm ci failed (${error?.message ?? `exit code ${status}`}), so the dependencies of package-lock.json are not ` +
      'installed. If this machine is offline or behind a proxy, give npm a registry it can reach and run this again.',
  );
}

if (isMain(import.meta.url)) await runMain(ensureInstalled);
