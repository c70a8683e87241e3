import type { PackageScope, PackageSource } from '../../package-source';
import type { InstallRun } from './run';

/** A package that was downloaded and is not in its place yet. None of its code has run. */
export interface StagedPackage {
  /** The source as written. */
  readonly written: string;
  readonly source: PackageSource;
  readonly scope: PackageScope;
  /** The folder where it is now, absolute; for a local package, its own folder. */
  readonly folder: string;
  /** The folder of the version that it replaces, absolute; undefined when there is none. */
  readonly replaces: string | undefined;
  /** `name@version` of packages whose install scripts would run: the package itself and its dependencies. */
  readonly scripts: readonly string[];
}

/** Whether downloaded packages are installed. */
export type ReviewVerdict = 'refuse' | 'install' | 'installWithScripts';

/** Decides whether downloaded packages are installed, before they are moved to their place or declared. */
export type PackageReview = (packages: readonly StagedPackage[], signal: AbortSignal) => Promise<ReviewVerdict>;

/** Gets downloaded packages that the review accepted, with their final content. */
export type AcceptedPackages = (packages: readonly StagedPackage[]) => Promise<void>;

/** Downloaded packages that wait for their review. */
export interface StagedPackages {
  readonly packages: readonly StagedPackage[];
  /** Runs the install scripts, which were skipped at the download. */
  readonly runScripts: (run: InstallRun) => Promise<void>;
  /** Moves everything to its place. */
  readonly place: () => Promise<void>;
}
