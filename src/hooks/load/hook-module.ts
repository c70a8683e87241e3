import type { DialectId } from '../dialects/dialect-id';
import type { HookGroup } from '../host/discover';
import type { SourcePosition } from './compile/source-map';
import type { HookSource } from './hook-source';

/** Which file an import by path resolved to; `to` is undefined if there was no such file. Both paths are absolute. */
export interface HookImport {
  readonly from: string;
  readonly specifier: string;
  readonly to?: string | undefined;
}

/** The default export of a hook file; it is called with the API object of the file's dialect. */
export type HookFactory = (api: unknown) => unknown;

/** A hook whose code has run, but whose factory has not been called. */
export interface HookModule {
  /** Absolute path of the entry. */
  readonly file: string;
  readonly group: HookGroup;
  readonly factory: HookFactory;
  readonly exports: Readonly<Record<string, unknown>>;
  /** The entry first, then the files it imports by path, JSON included; for finding the dialect and for watching. */
  readonly sources: readonly HookSource[];
  /**
   * What the sources import by path. A new file can make an import resolve elsewhere although no source was changed.
   */
  readonly imports: readonly HookImport[];
  /** Turns a position in compiled code into one in the source; returns `at` for a file that is not the hook's own. */
  mapPosition(file: string, at: SourcePosition): SourcePosition;
  /** Returns the stack with the positions in compiled code replaced by positions in the source. */
  mapStack(stack: string): string;
  /** The source position of the topmost frame that is in one of the hook's files; undefined if there is none. */
  placeIn(stack: string): HookPlace | undefined;
  /** Whether the compiled code of the hook's files contains this text, such as that of a function. */
  holdsCode?(text: string): boolean;
  /** The dialect of an inline hook, which has no text from which it could be detected. */
  readonly dialect?: DialectId;
}

/** A position in one of a hook's files. */
export interface HookPlace extends SourcePosition {
  readonly file: string;
}
