import type { DialectId } from '../hook';
import type { HookGroup } from '../host/discover';
import type { SourcePosition } from './compile/source-map';

/** The text of one file that a hook consists of. */
export interface HookSource {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** sha256 of the text, hexadecimal. */
  readonly hash: string;
}

/** What a path specifier of a hook's file led to; `to` is undefined where it led to nothing. All absolute. */
export interface HookImport {
  readonly from: string;
  readonly specifier: string;
  readonly to?: string | undefined;
}

/** What a hook file exports; it gets the API object of its dialect. */
export type HookFactory = (api: unknown) => unknown;

/** A hook that was evaluated; its factory has not run. */
export interface HookModule {
  /** Absolute path of the entry. */
  readonly file: string;
  readonly group: HookGroup;
  readonly factory: HookFactory;
  readonly exports: Readonly<Record<string, unknown>>;
  /** The entry first, then the files it imports relatively, JSON included; for detection of the dialect and for watching. */
  readonly sources: readonly HookSource[];
  /** What these import by path: a file that is planted may lead an import elsewhere although no source was changed. */
  readonly imports: readonly HookImport[];
  /** Turns a 1-based position in compiled code into one in the source; the position itself for files of others. */
  mapPosition(file: string, at: SourcePosition): SourcePosition;
  /** The stack with source positions. */
  mapStack(stack: string): string;
  /** The topmost frame of a stack that is in one of the hook's files, in source positions. */
  placeIn(stack: string): HookPlace | undefined;
  /** Whether the compiled code of the hook's files holds this text, such as that of a function. */
  holdsCode?(text: string): boolean;
  /** The dialect of code that has no text from which it could be detected. */
  readonly dialect?: DialectId;
}

/** A position in one of a hook's files. */
export interface HookPlace extends SourcePosition {
  readonly file: string;
}
