import { flag, list, nullable, object, oneOf, optional, messageReader, text, type MessageOf, type Of } from './shape';

/** What the page that draws a session's tree and its host say to each other. */

/** What an entry is, for its sign in the picture. */
export const TreeEntryKind = oneOf('user', 'assistant', 'tool', 'command', 'hook', 'summary', 'unknown');
export type TreeEntryKind = Of<typeof TreeEntryKind>;

/** One entry of the tree as it is drawn. */
export const TreeEntry = object({
  id: text,
  /** The nearest drawn entry above, which is sent before this one; null at the beginning. */
  parent: nullable(text),
  kind: TreeEntryKind,
  /** The beginning of what it says, on one line. */
  text,
  /** ISO 8601; may be empty. */
  time: text,
  label: optional(text),
});
export type TreeEntry = Of<typeof TreeEntry>;

export const HostToTree = {
  /** `replace` begins another session. `done` is false while more is being read. */
  entries: { entries: list(TreeEntry), replace: flag, done: flag },
  /** Where the conversation is now; null before the first entry. */
  leaf: { id: nullable(text), title: text },
  label: { id: text, label: nullable(text) },
  /** Marks an entry and brings it into view, unfolding what hides it. */
  select: { id: text },
};
export type HostToTree = MessageOf<typeof HostToTree>;

export const TreeToHost = {
  ready: {},
  /** Makes this entry the place where the conversation goes on. */
  go: { id: text },
  /** Asks for a label. */
  label: { id: text },
};
export type TreeToHost = MessageOf<typeof TreeToHost>;

export const readHostToTree = messageReader(HostToTree);
export const readTreeToHost = messageReader(TreeToHost);
