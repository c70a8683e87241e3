/** The package that a file belongs to, in the form of today's pi. */
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

/**
 * Why a file of a package is not used: the user turned the package off, or has not approved it (`why`, for people;
 * `gatesTools`: a version of the package that gates tools was approved).
 */
export type InactiveReason =
  { readonly type: 'off' } | { readonly type: 'held'; readonly why: string; readonly gatesTools?: true };

/** What decides whether a package's file is used: equal values say that nothing about the package was changed. */
export interface PackageState {
  readonly identity: string;
  /** The entries that declare the package in the user's and the project's settings, as JSON; empty for none. */
  readonly entries: Readonly<Record<'user' | 'project', string>>;
  /** The hash of its approved content; absent where content needs no approval, or none is approved. */
  readonly content?: string;
  readonly off?: true;
}

/** A package's file and the state of the package when it was found. */
export interface FileOfPackage extends PackageState {
  /** Path of the file from the package's folder, with `/`. */
  readonly part: string;
  /** The package's folder, absolute. */
  readonly folder: string;
  /** Whether it is a package of the user, and so the same in every folder. */
  readonly isUsers: boolean;
}

/** A file that a package adds. */
export interface PackageFile {
  /** Absolute. */
  readonly path: string;
  readonly package: PackageOrigin;
}
