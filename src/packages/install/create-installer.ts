import type { PiSettings } from '../../agent/settings/pi-settings';
import type { Log } from '../../base/log';
import { readDeclarations, type DeclaredPackage } from '../declared';
import type { PackagePlaces } from '../package-source';
import { GitClient } from './fetch/git-client';
import { NpmClient } from './fetch/npm-client';
import { npmCommandFrom } from './fetch/npm-command';
import { PackageInstaller } from './package-installer';
import { Releases } from './release-facts';
import type { PackageReview } from './fetch/staged-package';

/** What an installer depends on. */
export interface InstallerSetup {
  readonly places: PackagePlaces;
  /** Read at each call. */
  readonly settings: { readonly current: Pick<PiSettings, 'npmCommand'> };
  readonly env: NodeJS.ProcessEnv;
  readonly review: PackageReview;
}

/** An installer with the programs that the settings name. */
export function createInstaller(setup: InstallerSetup): PackageInstaller {
  const { places, env, review } = setup;
  return new PackageInstaller({ places, npm: createNpm(setup), git: new GitClient(env), review });
}

/** npm as the settings name it. */
export function createNpm({ settings, env }: Pick<InstallerSetup, 'settings' | 'env'>): NpmClient {
  return new NpmClient(() => npmCommandFrom(settings.current.npmCommand), env);
}

/** Asks npm and git, as the settings name them, who published packages. */
export function createReleases(setup: Omit<InstallerSetup, 'review'> & { readonly log: Log }): Releases {
  const { places, env, log } = setup;
  return new Releases({ npm: createNpm(setup), git: new GitClient(env) }, places.cwd, log);
}

/** What each settings file declares by itself, the user's first: what the project declares, too, is in both. */
export function declaredByScope(
  places: PackagePlaces,
  { packages }: Pick<PiSettings, 'packages'>,
): Readonly<Record<'user' | 'project', readonly DeclaredPackage[]>> {
  const of = (wanted: 'user' | 'project'): readonly DeclaredPackage[] =>
    readDeclarations({ places, lists: packages.filter(({ scope }) => scope === wanted) }).packages;
  return { user: of('user'), project: of('project') };
}
