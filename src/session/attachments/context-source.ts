import type { Completion } from '../../protocol/composer/composer';

/** Names that stand for something else than a file when they follow `@`. */
export const SOURCE_NAMES = ['problems', 'selection', 'terminal', 'diff'] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

/** A text that the editor has, and where it is from. */
export interface SourceText {
  /** For people and for the model, such as `selection of src/a.ts:3-8`. */
  readonly source: string;
  readonly text: string;
}

/** What of the editor can be put into a message; the window's editor answers it. */
export interface ContextSource {
  /** Absolute paths of files that are open, the latest used first. */
  openFiles(): readonly string[];
  /** What there is now of the named sources, each as it is offered. */
  offers(): readonly Completion[];
  /** Symbols of the workspace whose names match; empty if no language extension knows any. Never rejects. */
  symbols(query: string, signal: AbortSignal): Promise<readonly Completion[]>;
  /**
   * The text of a source, `of` narrowing it to a file (absolute path). A string says why there is none, for the user.
   * Never rejects.
   */
  read(name: SourceName, of: string | undefined): Promise<SourceText | string>;
  /** The lines of a symbol in a file (absolute path), 1-based, both included; undefined when it is not known there. */
  linesOfSymbol(path: string, symbol: string): Promise<readonly [first: number, last: number] | undefined>;
  /** What the editor has of a file that is not saved; undefined when the disk has the same. */
  unsavedText(path: string): string | undefined;
}
