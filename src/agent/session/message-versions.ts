import { messageOfEntry } from './context';
import type { EntryId, StoredEntry } from './entry';

/** The part of a session that is needed to find the versions of a message. */
interface Tree {
  getEntry(id: string): StoredEntry | undefined;
  getChildIds(parentId: EntryId | null): readonly { readonly id: EntryId; readonly type: string }[];
}

/**
 * Ids of the user's messages at one position of a session, in the order in which they were sent: a message that was
 * edited or sent again has several versions. The given message is among them; empty for an entry that is none of the
 * user's.
 */
export function versionsOf(tree: Tree, entryId: string): readonly EntryId[] {
  const entry = tree.getEntry(entryId);
  if (entry === undefined || !isOfUser(entry)) return [];
  let above = entry.parentId;
  for (let parent = above === null ? undefined : tree.getEntry(above); parent && isSilent(parent);) {
    above = parent.parentId;
    parent = above === null ? undefined : tree.getEntry(above);
  }
  const found: EntryId[] = [];
  const waiting = [...tree.getChildIds(above)];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    const child = tree.getEntry(node.id);
    if (child === undefined) continue;
    if (isOfUser(child)) found.push(child.id);
    else if (isSilent(child)) waiting.push(...tree.getChildIds(child.id));
  }
  return found;
}

function isOfUser(entry: StoredEntry): boolean {
  return messageOfEntry(entry)?.role === 'user';
}

/** Entries before a message that are not shown (settings, prompts, notes for the model) do not change its position. */
function isSilent(entry: StoredEntry): boolean {
  const message = messageOfEntry(entry);
  if (message?.role === 'custom') return !message.display;
  return message?.role === 'system' || (message === undefined && entry.type !== 'branch_summary');
}

/** The entry below `entryId` (or itself) that was written last. `nodes` are in file order. */
export function latestBelow(
  nodes: readonly { readonly id: EntryId; readonly parentId: EntryId | null }[],
  entryId: EntryId,
): EntryId {
  const below = new Set<string>([entryId]);
  let latest = entryId;
  for (const { id, parentId } of nodes) {
    if (parentId === null || !below.has(parentId)) continue;
    below.add(id);
    latest = id;
  }
  return latest;
}
