import type { FileOfPackage, InactiveReason, PackageFile, PackageOrigin } from '../agent/resources/package-origin';
import type { Problem } from '../base/result';
import type { DeclaredPackage } from './declared';
import type { InstalledPackage, PackagePart } from './installed';
import type { HeldReason } from './package-gate';

/** A declared package and its state. */
export type ListedPackage = {
  /** The entry that counts for this package. */
  readonly declared: DeclaredPackage;
  /** The project's entry with `autoload: false`, if any, which changes which parts are on. */
  readonly delta?: DeclaredPackage;
} &
  /** `gatesTools`: an approved version of it gates tools. */
  (
    | { readonly state: 'missing'; readonly problem: Problem; readonly gatesTools?: true }
    /** `content`: see `PackageVerdict`. */
    | { readonly state: 'runs'; readonly installed: InstalledPackage; readonly content?: string }
    /** The package gate holds it; `why` is shown to the user. */
    | {
        readonly state: 'held';
        readonly reason: HeldReason;
        readonly why: string;
        readonly gatesTools?: true;
        readonly installed: InstalledPackage;
      }
    /** The user turned it off. */
    | { readonly state: 'off'; readonly installed: InstalledPackage }
    /** It belongs to a folder that is not trusted. */
    | { readonly state: 'untrusted'; readonly installed: InstalledPackage }
  );

/** All packages, as they were read last. */
export interface PackageOverview {
  /** Each package once, in the order of declaration. */
  readonly packages: readonly ListedPackage[];
  /** The parts of all installed packages, whether on or off, in order of priority; each file once. */
  readonly parts: readonly ListedPart[];
  /** What is wrong with declarations and packages, including missing packages. */
  readonly problems: readonly Problem[];
  /** Extensions of the user's packages that are on by the user's settings, and not by those of the project. Absolute. */
  readonly leftOut: readonly string[];
}

/** A part, and the state of its package. */
export interface ListedPart extends PackagePart {
  readonly state: Exclude<ListedPackage['state'], 'missing'>;
  /** Why its package is held. */
  readonly why?: string;
  /** See {@link ListedPackage}. */
  readonly gatesTools?: true;
  /** Identity of its package. */
  readonly identity: string;
  readonly origin: PackageOrigin;
}

/** A file of a package that is on by the settings. */
export interface FileToLoad extends PackageFile {
  /** True if it may not be used until the user trusts the folder. */
  readonly needsTrust: boolean;
  /** Why it may not be used until the user approves it or turns it on; absent if it may be used. */
  readonly inactive?: InactiveReason;
  readonly state: FileOfPackage;
}
