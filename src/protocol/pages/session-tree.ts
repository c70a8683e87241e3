import {
  boolean,
  list,
  nullable,
  object,
  oneOf,
  optional,
  messageReader,
  text,
  type MessageOf,
  type Of,
} from '../base/shape';

/** Messages between the page that draws the tree of a session and its host. */

/** The kind of an entry, which decides its icon. */
export const TreeEntryKind = oneOf('user', 'assistant', 'tool', 'command', 'hook', 'summary', 'unknown');
export type TreeEntryKind = Of<typeof TreeEntryKind>;

/** One entry of the drawn tree. */
export const TreeEntry = object({
  id: text,
  /** Id of the nearest drawn entry above, which is sent before this one; null for an entry without one. */
  parent: nullable(text),
  kind: TreeEntryKind,
  /** The beginning of its text, on one line. */
  text,
  /** ISO 8601; may be empty. */
  time: text,
  label: optional(text),
});
export type TreeEntry = Of<typeof TreeEntry>;

export const HostToTree = {
  /** With `replace`, the entries are of another session. `done` is false while more entries are being read. */
  entries: { entries: list(TreeEntry), replace: boolean, done: boolean },
  /** Where the conversation is now; null before the first entry. */
  leaf: { id: nullable(text), title: text },
  label: { id: text, label: nullable(text) },
  /** Marks an entry, brings it into view and unfolds the entries that hide it. */
  select: { id: text },
};
export type HostToTree = MessageOf<typeof HostToTree>;

export const TreeToHost = {
  ready: {},
  /** Lets the conversation continue from this entry. */
  continueFrom: { id: text },
  /** Lets the user type a label for this entry. */
  label: { id: text },
};
export type TreeToHost = MessageOf<typeof TreeToHost>;

export const readHostToTree = messageReader(HostToTree);
export const readTreeToHost = messageReader(TreeToHost);
