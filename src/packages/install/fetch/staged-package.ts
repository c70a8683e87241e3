import type { PackageScope, PackageSource } from '../../package-source';
import type { InstallRun } from './run';

/** A package that was downloaded and is not in its place yet. Nothing of it has run. */
export interface StagedPackage {
  /** The source as written. */
  readonly written: string;
  readonly source: PackageSource;
  readonly scope: PackageScope;
  /** Where it lies now, absolute; a local package lies where it stays. */
  readonly folder: string;
  /** Where the version that is there now lies, absolute; undefined when there is none. */
  readonly replaces: string | undefined;
  /** `name@version` of packages whose install scripts would run, its own and those it depends on. */
  readonly scripts: readonly string[];
}

/** What becomes of packages that were downloaded. */
export type ReviewVerdict = 'refuse' | 'install' | 'installWithScripts';

/** Decides about packages after they were downloaded and before anything is put in its place or declared. */
export type PackageReview = (packages: readonly StagedPackage[], signal: AbortSignal) => Promise<ReviewVerdict>;

/** Packages that wait for their review. */
export interface Pending {
  readonly packages: readonly StagedPackage[];
  /** Runs the install scripts that were left out. */
  readonly runScripts: (run: InstallRun) => Promise<void>;
  /** Puts everything in its place. */
  readonly place: () => Promise<void>;
}
