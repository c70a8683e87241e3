import { flag, list, messageReader, nullable, oneOf, optional, shape, text } from './checks';
import type { HostToTree, TreeToHost } from './session-tree';

const entry = shape({
  id: text,
  parent: nullable(text),
  kind: oneOf('user', 'assistant', 'tool', 'command', 'hook', 'summary'),
  text,
  time: text,
  label: optional(text),
});

/** Checks a message that arrived in the page of the tree; undefined when it is not one of ours. */
export const readHostToTree = messageReader<HostToTree>({
  entries: shape({ entries: list(entry), replace: flag, done: flag }),
  leaf: shape({ id: nullable(text), title: text }),
  label: shape({ id: text, label: nullable(text) }),
  select: shape({ id: text }),
});

/** Checks a message that arrived in the host from the page of the tree; undefined when it is not one of ours. */
export const readTreeToHost = messageReader<TreeToHost>({
  ready: shape({}),
  go: shape({ id: text }),
  label: shape({ id: text }),
});
