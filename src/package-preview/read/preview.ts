import type { DialectTag } from '../../hook-contract/dialect-id';
import type { Claim } from '../../packages/approval/claim';
import type { PackageAbout } from './manifest-summary';

/** The package to preview: where it is, and what it would add. */
export interface PreviewRequest {
  /** Absolute path of the package's folder, or of its file if it is a single file. */
  readonly folder: string;
  /** Absolute paths of the files that would be loaded as extensions. */
  readonly extensions: readonly string[];
  /** The absolute paths of the other resources that it would add. */
  readonly resources: readonly { readonly kind: 'skill' | 'prompt' | 'theme'; readonly path: string }[];
}

/** A file whose code was not fully analyzed. */
export interface UnreadFile {
  /** Path relative to the package's folder. */
  readonly file: string;
  readonly why:
    | { readonly type: 'tooLarge'; readonly bytes: number }
    /** The limit for all files together was reached. */
    | { readonly type: 'tooMuch' }
    | { readonly type: 'broken'; readonly message: string; readonly line: number }
    | { readonly type: 'unreadable'; readonly message: string };
}

/** What a package would do, according to its files; none of its code was run. Plain data. */
export interface PackagePreview {
  readonly about: PackageAbout;
  /** Absolute. */
  readonly folder: string;
  readonly size: {
    readonly files: number;
    readonly bytes: number;
    /** There are more files. */ readonly isCut: boolean;
  };
  readonly claims: readonly Claim[];
  readonly compatibility: {
    /** How many different members, events and exports of pi it uses. */
    readonly used: number;
    readonly dialect: DialectTag;
  };
  readonly read: {
    /** How many files of its extensions were fully analyzed. */
    readonly parsed: number;
    /** How many other code files, its own and those of dependencies, were only searched as text. */
    readonly searched: number;
    readonly unread: readonly UnreadFile[];
    /** Why the code could not be read; the preview is then incomplete. */
    readonly stopped?: string;
  };
}
