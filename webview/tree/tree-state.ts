import type { HostToTree, TreeEntry } from '../../src/protocol/pages/session-tree';

/** An entry with the entries that follow it. */
export interface TreeNode {
  readonly entry: TreeEntry;
  readonly parent: TreeNode | undefined;
  readonly children: TreeNode[];
}

/** What the page knows about a session's tree. */
export interface TreeState {
  /** By id. States share this map, because a tree only grows and copying it for each new entry would be slow. */
  readonly nodes: Map<string, TreeNode>;
  readonly roots: TreeNode[];
  readonly labels: ReadonlyMap<string, string>;
  readonly leaf: string | null;
  readonly title: string;
  /** False while the host sends more entries. */
  readonly done: boolean;
  /** Increases with each message, so that states with the same `nodes` differ. */
  readonly version: number;
}

/** A state without entries. */
export function emptyTree(): TreeState {
  return { nodes: new Map(), roots: [], labels: new Map(), leaf: null, title: '', done: false, version: 0 };
}

/** Applies one message of the host. */
export function reduceTree(state: TreeState, message: HostToTree): TreeState {
  const version = state.version + 1;
  switch (message.type) {
    case 'entries': {
      const base = message.replace ? { ...emptyTree(), leaf: state.leaf, title: state.title } : state;
      const labels = new Map(base.labels);
      for (const entry of message.entries) {
        add(base, entry);
        if (entry.label !== undefined) labels.set(entry.id, entry.label);
      }
      return { ...base, labels, done: message.done, version };
    }
    case 'leaf':
      return { ...state, leaf: message.id, title: message.title, version };
    case 'label': {
      const labels = new Map(state.labels);
      if (message.label === null) labels.delete(message.id);
      else labels.set(message.id, message.label);
      return { ...state, labels, version };
    }
    case 'select':
      return state;
  }
}

/** The entries from the beginning to the leaf, which is the current message. */
export function pathOf({ nodes, leaf }: TreeState): ReadonlySet<TreeNode> {
  const path = new Set<TreeNode>();
  for (let node = leaf === null ? undefined : nodes.get(leaf); node; node = node.parent) path.add(node);
  return path;
}

function add({ nodes, roots }: TreeState, entry: TreeEntry): void {
  if (nodes.has(entry.id)) return;
  const parent = entry.parent === null ? undefined : nodes.get(entry.parent);
  const node: TreeNode = { entry, parent, children: [] };
  nodes.set(entry.id, node);
  if (parent) parent.children.push(node);
  else roots.push(node);
}
