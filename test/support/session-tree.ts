import type { StoredEntry } from '../../src/agent/session/entry';
import { EntryTree } from '../../src/agent/session/tree';

/** A tree over entries that are all at hand. */
export function treeOf(entries: Iterable<StoredEntry>): EntryTree {
  const tree = new EntryTree();
  for (const entry of entries) tree.add({ id: entry.id, parentId: entry.parentId, type: entry.type, entry });
  return tree;
}
