import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { npmProjectFolder, type PackagePlaces, type PackageScope, type PackageSource } from '../../package-source';
import type { Rollback } from '../rollback';
import { checkPackage } from '../check-package';
import { InstallFailure } from '../install-failure';
import type { NpmClient } from './npm-client';
import { changedIntegrity, newInstallScripts, readLock, type LockedPackage } from './npm-lock';
import { entryExists, makeFolder, putInPlace, realFolder, stageFolder, writeIfMissing } from '../replace-folder';
import type { InstallRun } from './run';
import type { StagedPackages, StagedPackage } from './staged-package';

export type NpmSource = Extract<PackageSource, { type: 'npm' }>;

/** npm packages of one scope to install. */
export interface NpmRequest {
  readonly places: PackagePlaces;
  readonly scope: PackageScope;
  readonly packages: readonly { readonly written: string; readonly source: NpmSource }[];
}

/** The .gitignore that keeps checkouts and the npm project out of version control, with the same text as pi's. */
export const IGNORE_ALL = '*\n!.gitignore\n';
/** pi's private project, to which packages are added as dependencies. */
const PROJECT = JSON.stringify({ name: 'pi-extensions', private: true }, null, 2);

/**
 * Installs npm packages in a copy of the private project of their scope.
 * @throws InstallFailure when npm fails, a package fails its check, or the content of a version differs from the lock
 */
export async function downloadNpm(
  npm: NpmClient,
  request: NpmRequest,
  steps: Rollback,
  run: InstallRun,
): Promise<StagedPackages> {
  const { root, staged } = await stageProject(request, steps, run);
  const before = await readLock(staged);
  const specs = request.packages.map(({ source: { name, version } }) => `${name}@${version ?? 'latest'}`);
  await npm.install(staged, specs, run);
  const after = await readLock(staged);
  refuseChanged(before, after);
  const ofProject = newInstallScripts(before, after);
  const packages = await Promise.all(
    request.packages.map(async ({ written, source }): Promise<StagedPackage> => {
      const folder = join(staged, 'node_modules', source.name);
      if (!(await entryExists(folder))) throw new InstallFailure(l10n.t('npm did not install {0}.', source.name));
      await checkPackage(folder, written, run.progress);
      const now = join(root, 'node_modules', source.name);
      const replaces = (await entryExists(now)) ? now : undefined;
      return { written, source, scope: request.scope, folder, replaces, scripts: ofProject.map(nameOf) };
    }),
  );
  return {
    packages,
    runScripts: own => npm.runScripts(staged, [...new Set(ofProject.map(({ name }) => name))], own),
    place: () => putInPlace(staged, root, steps),
  };
}

/** Removes an npm package from a copy of the private project; undefined when there is no project. */
export async function stageNpmRemoval(
  npm: NpmClient,
  { name }: NpmSource,
  where: Omit<NpmRequest, 'packages'>,
  { steps, run }: { readonly steps: Rollback; readonly run: InstallRun },
): Promise<Pick<StagedPackages, 'place'> | undefined> {
  if (!(await entryExists(npmProjectFolder(where.scope, where.places)))) return undefined;
  const { root, staged } = await stageProject(where, steps, run);
  await npm.uninstall(staged, name, run);
  return { place: () => putInPlace(staged, root, steps) };
}

async function stageProject(
  { places, scope }: Omit<NpmRequest, 'packages'>,
  steps: Rollback,
  { signal }: InstallRun,
): Promise<{ readonly root: string; readonly staged: string }> {
  const root = await realFolder(npmProjectFolder(scope, places));
  const staged = await stageFolder(root, { copied: true, signal, steps });
  await writeIfMissing(join(staged, '.gitignore'), IGNORE_ALL, steps);
  await writeIfMissing(join(staged, 'package.json'), PROJECT, steps);
  return { root, staged };
}

function refuseChanged(before: readonly LockedPackage[], after: readonly LockedPackage[]): void {
  const [changed] = changedIntegrity(before, after);
  if (changed === undefined) return;
  const known = before.find(({ name, version }) => name === changed.name && version === changed.version);
  throw new InstallFailure(
    l10n.t(
      '{0} has different content than when it was installed: the lock says {1}, the registry {2}. A published version must not change, so it was not installed. To install it anyway, remove the package first.',
      nameOf(changed),
      known?.integrity ?? '',
      changed.integrity ?? '–',
    ),
  );
}

function nameOf({ name, version }: LockedPackage): string {
  return `${name}@${version}`;
}

/** The version in the package.json of a folder; undefined when there is none. */
export async function versionIn(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse((await readFile(join(folder, 'package.json'), 'utf8')).replace(/^\uFEFF/, ''));
    const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
    return typeof version === 'string' && version !== '' ? version : undefined;
  } catch {
    return undefined; // The file does not exist or is not valid JSON.
  }
}

/** Makes the folder of packages that the command line names; other users of the machine cannot read it. */
export async function makeTemporaryFolder({ agentDir }: PackagePlaces, steps: Rollback): Promise<void> {
  const folder = join(agentDir, 'tmp', 'extensions');
  await makeFolder(folder, steps);
  await chmod(folder, 0o700);
}
