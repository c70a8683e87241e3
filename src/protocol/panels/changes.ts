import { boolean, list, literal, number, object, oneOf, optional, text, type MessageOf, type Of } from '../base/shape';

/** The changes that the agent made to files in a session, as the page lists them. */

/** One file, with all changes of the session taken together. */
export const ChangedFile = object({
  /** Absolute. */
  path: text,
  /** The path for display: relative to the workspace folder where possible. */
  displayPath: text,
  /** `back`: the file is now as it was before the first change. */
  kind: oneOf('created', 'changed', 'deleted', 'back'),
  /** Count of lines; absent when the file is not text or is too long to compare. */
  added: optional(number),
  removed: optional(number),
  /** Names of the tools that changed the file, in order. */
  tools: list(text),
  /** Increases when the file was changed, by whomever. */
  version: number,
  /** The user has seen the changes and keeps them. A later change is not kept. */
  kept: optional(literal(true)),
  /** Of a new file: the path for display of the deleted file that had this content. */
  renamedFrom: optional(text),
  /** Why the file cannot be reverted; absent when it can. */
  cannotRevert: optional(text),
});
export type ChangedFile = Of<typeof ChangedFile>;

/** All changes of a session. */
export const Changes = object({
  /** The file changed last comes first. */
  files: list(ChangedFile),
  /** How many more files were changed than `files` lists. */
  more: number,
  /** Which changes the list does not contain, and why. */
  note: optional(text),
  /** The files of the last revert, which can be undone. */
  undo: optional(list(text)),
});
export type Changes = Of<typeof Changes>;

export const NO_CHANGES: Changes = { files: [], more: 0 };

/** How one file differs from its text before the session's first change to it. */
export const FileDiff = object({
  path: text,
  version: number,
  /** A unified diff; when `isText` is false, the reason why there is none. */
  diff: text,
  isText: boolean,
});
export type FileDiff = Of<typeof FileDiff>;

/** Page to host. */
export const ChangesToHost = {
  loadDiff: { path: text },
  /** Opens the editor's own diff. */
  openChange: { path: text },
  /** Opens the editor's own diff of all files that are to be reviewed. */
  reviewAll: {},
  keepFile: { path: text },
  keepAll: {},
  revertFile: { path: text },
  revertAll: {},
  /** Undoes what one tool call did; `id` is that of its item. */
  revertCall: { id: text },
  /** Brings the files back to before a message of the user; `id` is that of its item. */
  revertTo: { id: text },
  undoRevert: {},
};
export type ChangesToHost = MessageOf<typeof ChangesToHost>;
