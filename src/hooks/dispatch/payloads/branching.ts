import type { HookConversation } from '../../conversation-port';
import { indexInView, v1View } from '../../api/session-view';

interface Target {
  readonly entryId: string;
  readonly index: number;
}
const targets = new WeakMap<HookConversation, Target>();

/**
 * Index of the entry that a branch starts from, header counted (docs/dialects.md, C5). After the branch the entry is no
 * longer on the path: the index found before it is remembered, else it is where the new path ends.
 */
export function targetTurnIndex(conversation: HookConversation | undefined, entryId: string): number {
  if (conversation === undefined) return -1;
  const view = v1View(conversation);
  const index = indexInView(view, entryId);
  if (index >= 0) {
    targets.set(conversation, { entryId, index });
    return index;
  }
  const known = targets.get(conversation);
  return known?.entryId === entryId ? known.index : view.length;
}

/** The three ways to name the entry, for every event about branching (docs/dialects.md, C5). */
export function branchTarget(conversation: HookConversation | undefined, entryId: string): object {
  const index = targetTurnIndex(conversation, entryId);
  return { targetTurnIndex: index, entryIndex: index - 1, entryId };
}
