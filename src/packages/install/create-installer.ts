import type { PiSettings } from '../../agent/settings/pi-settings';
import { defined } from '../../base/defined';
import type { Log } from '../../base/log';
import { readDeclarations, type DeclaredPackage } from '../declared';
import type { PackagePlaces } from '../package-source';
import { GitClient } from './fetch/git-client';
import { NpmClient } from './fetch/npm-client';
import { npmCommandFrom } from './fetch/npm-command';
import { PackageInstaller, type InstallerParts } from './package-installer';
import { Releases } from './release-facts';
import type { AcceptedPackages, PackageReview } from './fetch/staged-package';

/** What an installer needs. */
export interface InstallerSetup {
  readonly places: PackagePlaces;
  /** Settings are read at each call. */
  readonly settings: { readonly current: Pick<PiSettings, 'npmCommand'> };
  readonly env: NodeJS.ProcessEnv;
  readonly review: PackageReview;
  /** See `InstallerParts`. */
  readonly accepted?: AcceptedPackages;
  /** See `InstallerParts`. */
  readonly decisions?: InstallerParts['decisions'];
}

/** Makes an installer that uses the programs that the settings name. */
export function createInstaller(setup: InstallerSetup): PackageInstaller {
  const { places, env, review, accepted, decisions } = setup;
  const [npm, git] = [createNpm(setup), new GitClient(env)];
  return new PackageInstaller({ places, npm, git, review, ...defined({ accepted, decisions }) });
}

/** Makes a client for npm, or for the program that the settings name. */
export function createNpm({ settings, env }: Pick<InstallerSetup, 'settings' | 'env'>): NpmClient {
  return new NpmClient(() => npmCommandFrom(settings.current.npmCommand), env);
}

/** Makes the object that finds out who published packages, by npm (or the program that the settings name) and git. */
export function createReleases(setup: Pick<InstallerSetup, 'settings' | 'env'> & { readonly log: Log }): Releases {
  return new Releases({ npm: createNpm(setup), git: new GitClient(setup.env) }, setup.log);
}

/** The packages that each settings file declares on its own; a package that both files declare is in both lists. */
export function declaredByScope(
  places: PackagePlaces,
  { packages }: Pick<PiSettings, 'packages'>,
): Readonly<Record<'user' | 'project', readonly DeclaredPackage[]>> {
  const of = (wanted: 'user' | 'project'): readonly DeclaredPackage[] =>
    readDeclarations({ places, lists: packages.filter(({ scope }) => scope === wanted) }).packages;
  return { user: of('user'), project: of('project') };
}
