import type { ChatChange } from '../../protocol/messages';

/** Joins consecutive changes of the same text, so that one message contains many deltas. */
export function joinChanges(changes: readonly ChatChange[]): ChatChange[] {
  const joined: ChatChange[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    const merged = last === undefined ? undefined : merge(last, change);
    if (merged === undefined) joined.push(change);
    else joined[joined.length - 1] = merged;
  }
  return joined;
}

function merge(last: ChatChange, next: ChatChange): ChatChange | undefined {
  if (last.type === 'text' && next.type === 'text') {
    return last.id === next.id && last.block === next.block
      ? { ...last, append: last.append + next.append }
      : undefined;
  }
  if (last.type === 'output' && next.type === 'output' && last.id === next.id) {
    return next.reset ? next : { ...last, append: last.append + next.append };
  }
  if (last.type === 'runningCommands' && next.type === 'runningCommands') return next;
  if (last.type === 'changes' && next.type === 'changes') return next;
  if (last.type === 'todos' && next.type === 'todos') return next;
  if (last.type === 'item' && next.type === 'item' && last.item.id === next.item.id) return next;
  return undefined;
}
