import { flag, list, number, object, oneOf, optional, text, type MessageOf, type Of } from './shape';

/** What the agent did to files in a session, as the page lists it. */

/** One file, over all changes of the session. */
export const ChangedFile = object({
  /** Absolute. */
  path: text,
  /** As people write it: from the folder on. */
  shown: text,
  /** `back`: as it was before the first change. */
  kind: oneOf('created', 'changed', 'deleted', 'back'),
  /** Lines; absent when it is no text or too long to compare. */
  added: optional(number),
  removed: optional(number),
  /** Names of the tools, in order. */
  tools: list(text),
  /** Grows with each change. */
  version: number,
  /** Why it cannot be brought back. */
  stuck: optional(text),
});
export type ChangedFile = Of<typeof ChangedFile>;

/** All of a session. */
export const Changes = object({
  /** The file changed last comes first. */
  files: list(ChangedFile),
  /** Files beyond those listed. */
  more: number,
  /** What is not covered, and why. */
  note: optional(text),
  /** What "undo" would bring back: the files of the last revert. */
  undo: optional(list(text)),
});
export type Changes = Of<typeof Changes>;

export const NO_CHANGES: Changes = { files: [], more: 0 };

/** The difference of one file against the text before the session's first change of it. */
export const FileDiff = object({
  path: text,
  version: number,
  /** Unified, or why there is none. */
  diff: text,
  isText: flag,
});
export type FileDiff = Of<typeof FileDiff>;

/** Page to host. */
export const ChangesToHost = {
  loadDiff: { path: text },
  /** Opens the editor's own diff. */
  openChange: { path: text },
  revertFile: { path: text },
  revertAll: {},
  /** Undoes what one tool call did; the id of its item. */
  revertCall: { id: text },
  /** Back to before a message of the user; the id of its item. */
  revertTo: { id: text },
  undoRevert: {},
};
export type ChangesToHost = MessageOf<typeof ChangesToHost>;
