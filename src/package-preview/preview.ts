import type { DialectTag } from '../hooks/hook';
import type { Claim } from '../packages/approval/claim';
import type { PackageAbout } from './read/manifest-summary';

/** Which package is to be previewed: where it lies, and what it would add. */
export interface PreviewRequest {
  /** Absolute; the folder of the package, or the file that it is. */
  readonly folder: string;
  /** Absolute paths of the files that would be loaded as extensions. */
  readonly extensions: readonly string[];
  /** Absolute paths of what else it would add, by kind. */
  readonly resources: readonly { readonly kind: 'skill' | 'prompt' | 'theme'; readonly path: string }[];
}

/** A file whose code was not understood in full. */
export interface UnreadFile {
  /** From the package's folder. */
  readonly file: string;
  readonly why:
    | { readonly type: 'tooLarge'; readonly bytes: number }
    /** What all files together may take was used up. */
    | { readonly type: 'tooMuch' }
    | { readonly type: 'broken'; readonly message: string; readonly line: number }
    | { readonly type: 'unreadable'; readonly message: string };
}

/** What a package would do, told from its text alone; nothing of it was run. Plain data. */
export interface PackagePreview {
  readonly about: PackageAbout;
  /** Absolute. */
  readonly folder: string;
  readonly size: { readonly files: number; readonly bytes: number; /** More is there. */ readonly isCut: boolean };
  readonly claims: readonly Claim[];
  readonly compatibility: {
    /** How many members, events and exports of pi it uses. */
    readonly used: number;
    readonly dialect: DialectTag;
  };
  readonly read: {
    /** Files that its extensions are made of, understood in full. */
    readonly parsed: number;
    /** Further files with code, its own and of its dependencies, whose text was searched. */
    readonly searched: number;
    readonly unread: readonly UnreadFile[];
    /** Why reading stopped early: `time` or the reason. The preview is then incomplete. */
    readonly stopped?: string;
  };
}

/** Whether a package would decide if tools may run, as far as its text tells. */
export function claimsGate({ claims }: Pick<PackagePreview, 'claims'>): boolean {
  return claims.some(({ kind, name }) => kind === 'gate' && name === 'tool_call');
}
