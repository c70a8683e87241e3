/** What the agent did to files in a session, as the page lists it. */

/** One file, over all changes of the session. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  /** As people write it: from the folder on. */
  readonly shown: string;
  /** `back`: as it was before the first change. */
  readonly kind: 'created' | 'changed' | 'deleted' | 'back';
  /** Lines; absent when it is no text or too long to compare. */
  readonly added?: number;
  readonly removed?: number;
  /** Names of the tools, in order. */
  readonly tools: readonly string[];
  /** Grows with each change. */
  readonly version: number;
  /** Why it cannot be brought back. */
  readonly stuck?: string;
}

/** All of a session. */
export interface Changes {
  /** The file changed last comes first. */
  readonly files: readonly ChangedFile[];
  /** Files beyond those listed. */
  readonly more: number;
  /** What is not covered, and why. */
  readonly note?: string;
  /** What "undo" would bring back: the files of the last revert. */
  readonly undo?: readonly string[];
}

export const NO_CHANGES: Changes = { files: [], more: 0 };

/** The difference of one file against the text before the session's first change of it. */
export interface FileDiff {
  readonly path: string;
  readonly version: number;
  /** Unified, or why there is none. */
  readonly diff: string;
  readonly isText: boolean;
}

/** Page to host. */
export type ChangesToHost =
  | { readonly type: 'loadDiff'; readonly path: string }
  /** Opens the editor's own diff. */
  | { readonly type: 'openChange'; readonly path: string }
  | { readonly type: 'revertFile'; readonly path: string }
  | { readonly type: 'revertAll' }
  /** Undoes what one tool call did; the id of its item. */
  | { readonly type: 'revertCall'; readonly id: string }
  /** Back to before a message of the user; the id of its item. */
  | { readonly type: 'revertTo'; readonly id: string }
  | { readonly type: 'undoRevert' };
