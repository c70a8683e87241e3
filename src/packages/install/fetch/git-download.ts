import { mkdtemp, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRecord } from '../../../base/json/is-record';
import {
  ownFolder,
  packageFolder,
  type PackagePlaces,
  type PackageScope,
  type PackageSource,
} from '../../package-source';
import type { Rollback } from '../rollback';
import { checkPackage } from '../check-package';
import type { GitClient } from './git-client';
import type { NpmClient } from './npm-client';
import { readLock } from './npm-lock';
import {
  entryExists,
  makeFolder,
  moveAway,
  putInPlace,
  removeEmpty,
  stageFolder,
  writeIfMissing,
} from '../replace-folder';
import type { InstallRun } from './run';
import { IGNORE_ALL } from './npm-download';
import type { StagedPackages } from './staged-package';

export type GitSource = Extract<PackageSource, { type: 'git' }>;

/** A repository to install as a package. */
export interface GitRequest {
  readonly places: PackagePlaces;
  readonly scope: PackageScope;
  readonly written: string;
  readonly source: GitSource;
}

/** Scripts of a package.json that npm runs when it installs in that folder. */
const OWN_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

/**
 * Files in which package managers look for settings. Those of a repository could name programs to run, or registries
 * that then get the values of environment variables.
 */
const MANAGER_SETTINGS = [
  '.npmrc',
  '.pnpmfile.cjs',
  '.pnpmfile.mjs',
  'pnpm-workspace.yaml',
  'bunfig.toml',
  '.yarnrc',
  '.yarnrc.yml',
];

/**
 * Clones a repository beside its place and installs its dependencies there.
 * @throws InstallFailure that says why it cannot
 */
export async function downloadGit(
  { git, npm }: { readonly git: GitClient; readonly npm: NpmClient },
  { places, scope, written, source }: GitRequest,
  steps: Rollback,
  run: InstallRun,
): Promise<StagedPackages> {
  const target = packageFolder(source, scope, places);
  const root = gitRoot(scope, places);
  if (root !== undefined) {
    await makeFolder(root, steps);
    await writeIfMissing(join(root, '.gitignore'), IGNORE_ALL, steps);
  }
  const staged = await stageFolder(target, { copied: false, signal: run.signal, steps });
  await git.clone(source.url, source.ref, staged, run);
  await checkPackage(staged, written, run.progress);
  const hasManifest = await entryExists(join(staged, 'package.json'));
  if (hasManifest) await installDependencies(npm, staged, 'skip', run);
  const replaces = (await entryExists(target)) ? target : undefined;
  return {
    packages: [{ written, source, scope, folder: staged, replaces, scripts: await scriptsIn(staged) }],
    runScripts: own => (hasManifest ? installDependencies(npm, staged, 'run', own) : Promise.resolve()),
    place: async () => {
      await putInPlace(staged, target, steps);
      steps.whenDone(() => rm(markerOf(target), { force: true }));
    },
  };
}

/** Installs the dependencies of a checkout without its own settings; they are back when this resolves. */
async function installDependencies(
  npm: NpmClient,
  checkout: string,
  scripts: 'run' | 'skip',
  run: InstallRun,
): Promise<void> {
  const aside = await mkdtemp(join(checkout, '.git', 'settings-'));
  const names: string[] = [];
  for (const name of MANAGER_SETTINGS) if (await entryExists(join(checkout, name))) names.push(name);
  for (const name of names) await rename(join(checkout, name), join(aside, name));
  await npm.installDependencies(checkout, scripts, run);
  for (const name of names) await rename(join(aside, name), join(checkout, name));
  await rmdir(aside);
}

/** Removes a checkout and the folders above it that are then empty. */
export async function removeCheckout(
  { places, scope, source }: Omit<GitRequest, 'written'>,
  steps: Rollback,
): Promise<void> {
  const target = packageFolder(source, scope, places);
  await moveAway(target, steps);
  const root = gitRoot(scope, places);
  steps.whenDone(async () => {
    await rm(markerOf(target), { force: true });
    if (root !== undefined) await removeEmpty(dirname(target), root);
  });
}

/** The file that pi puts beside a checkout during an update; if it is still there, the update did not end. */
export function markerOf(target: string): string {
  return join(dirname(target), `.${basename(target)}.pi-update-incomplete`);
}

/** The folder of all checkouts of a scope; undefined for packages that the command line names. */
function gitRoot(scope: PackageScope, places: PackagePlaces): string | undefined {
  return scope === 'temporary' ? undefined : join(ownFolder(scope, places), 'git');
}

/** `name@version` of each package that has install scripts: the package itself, and the others in its lock. */
async function scriptsIn(folder: string): Promise<readonly string[]> {
  const locked = (await readLock(folder)).filter(({ hasInstallScript }) => hasInstallScript);
  const others = locked.map(({ name, version }) => `${name}@${version}`);
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  } catch {
    return others; // There is no package.json; one that cannot be read was refused before.
  }
  if (!isRecord(manifest) || !isRecord(manifest['scripts'])) return others;
  const { scripts, name, version } = manifest;
  if (!OWN_SCRIPTS.some(script => Object.hasOwn(scripts, script))) return others;
  return [
    `${typeof name === 'string' ? name : basename(folder)}@${typeof version === 'string' ? version : '?'}`,
    ...others,
  ];
}
