import type { Result } from '../../base/result';
import type { DialectId } from '../../hook-contract/dialect-id';
import type { HookGroup } from '../../hook-contract/hook-info';
import type { SourcePosition, StackMap } from '../../hook-contract/source-place';
import type { HookSource } from './hook-source';
import type { HookFactory } from '../../hook-contract/loaded-hook';

/** Which file an import of a hook's own file resolved to; `to` is undefined if there was none. Both paths are absolute. */
export interface HookImport {
  readonly from: string;
  readonly specifier: string;
  readonly to?: string | undefined;
  /** `require` asked for it; absent for `import`. */
  readonly required?: true;
  /** It was only known when the code ran, as the specifier is computed. */
  readonly late?: true;
}

/** A hook whose code has run, but whose factory has not been called. */
export interface HookModule extends StackMap {
  /** Absolute path of the entry. */
  readonly file: string;
  readonly group: HookGroup;
  readonly factory: HookFactory;
  readonly exports: Readonly<Record<string, unknown>>;
  /** The entry first, then its own files that it imports, JSON included; for finding the dialect and for watching. */
  readonly sources: readonly HookSource[];
  /** Files of packages that the sources import, and each `package.json` that decided where an import leads. */
  readonly packageFiles: readonly HookSource[];
  /**
   * What the sources import. A new file can make an import resolve elsewhere although no source was changed. Like the
   * files, these may become more while the hook runs, if it computes what it imports.
   */
  readonly imports: readonly HookImport[];
  /** Turns a position in compiled code into one in the source; returns `at` for a file that is not the hook's own. */
  mapPosition(file: string, at: SourcePosition): SourcePosition;
  /** The dialect of an inline hook, which has no text from which it could be detected. */
  readonly dialect?: DialectId;
}

/** What comes of a load. `searched` is set if it failed, and what it read decides whether it counts as a gate. */
export type LoadResult<V> = Result<V> & { readonly searched?: readonly HookSource[] };

/** Everything that a load of the hook read: its own files, the entry first, and those of packages. */
export function contentOf({
  sources,
  packageFiles,
}: Pick<HookModule, 'sources' | 'packageFiles'>): readonly HookSource[] {
  return [...sources, ...packageFiles];
}
