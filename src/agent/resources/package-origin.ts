/** The package that a file belongs to, in the words of today's pi. */
export interface PackageOrigin {
  readonly name: string;
  readonly version?: string;
  /** As written where the package is declared, such as `npm:name@1.2.3`. */
  readonly source: string;
  readonly scope: 'user' | 'project' | 'temporary';
  /** The folder of the package, absolute. */
  readonly baseDir: string;
  /** Absolute. */
  readonly changelogPath?: string;
  /** Names of the packages that it needs, peers included. */
  readonly needs?: readonly string[];
}

/** Why a file of a package is not used: the user turned the package off, or has not approved it (`why`, for people). */
export type InactiveReason = { readonly type: 'off' } | { readonly type: 'held'; readonly why: string };

/** A file that a package adds. */
export interface PackageFile {
  /** Absolute. */
  readonly path: string;
  readonly package: PackageOrigin;
}
