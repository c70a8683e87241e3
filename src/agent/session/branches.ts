import type { EntryNode } from './tree';

/** A sequence of entries without forks: the current path, or an abandoned one. */
export interface Branch {
  /** The entry before it; undefined at the beginning of the session. */
  readonly from: EntryNode | undefined;
  /** From its beginning to its end. */
  readonly nodes: readonly EntryNode[];
}

/** All entries of a session as branches: each entry is in exactly one of them. */
export interface Branches {
  /** From the root to the leaf; without entries when the leaf is before the first one. */
  readonly current: Branch;
  /**
   * In the order of their first entry in the file. At a fork, a branch continues with the entry that was written last.
   */
  readonly others: readonly Branch[];
}

/** Splits a session's entries (in file order, as `ReadableSession.getNodes` gives them) into its branches. */
export function splitBranches(nodes: readonly EntryNode[], leafId: string | null): Branches {
  const byId = new Map<string, EntryNode>(nodes.map(node => [node.id, node]));
  const path: EntryNode[] = [];
  let at = leafId === null ? undefined : byId.get(leafId);
  for (; at; at = usableParent(at)) path.push(at);
  path.reverse();
  const taken = new Set(path);
  const next = lastChildren(nodes);
  const others: Branch[] = [];
  for (const node of nodes) {
    if (taken.has(node)) continue;
    const line: EntryNode[] = [];
    for (let step: EntryNode | undefined = node; step && !taken.has(step); step = next.get(step)) {
      taken.add(step);
      line.push(step);
    }
    others.push({ from: usableParent(node), nodes: line });
  }
  return { current: { from: undefined, nodes: path }, others };
}

/** The nearest entry above that can be used. */
export function usableParent(node: EntryNode): EntryNode | undefined {
  let parent = node.parent;
  while (parent?.damaged === true) parent = parent.parent;
  return parent;
}

function lastChildren(nodes: readonly EntryNode[]): ReadonlyMap<EntryNode, EntryNode> {
  const last = new Map<EntryNode, EntryNode>();
  for (const node of nodes) {
    const parent = usableParent(node);
    if (parent) last.set(parent, node);
  }
  return last;
}
