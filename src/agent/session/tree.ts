import type { EntryId, LabelEntry, StoredEntry } from './entry';

/** Where an entry's line is in its file: bytes from the start, without the newline; `line` is 1-based. */
export interface LineRange {
  offset: number;
  length: number;
  line: number;
}

/**
 * One entry in the tree; the entry itself may not be read from the file yet. A session may have hundreds of thousands, so
 * where the line is lies in the node and not in an object of its own; see {@link rangeOf}.
 */
export interface EntryNode extends Partial<LineRange> {
  readonly id: EntryId;
  /** As written, even when no such entry exists. */
  readonly parentId: EntryId | null;
  readonly type: string;
  /** Resolved by {@link EntryTree.add}. */
  parent?: EntryNode | undefined;
  /** The entry while it is not in a file. */
  entry?: StoredEntry;
  /** Its content cannot be used; it still links its children to the entry before it. */
  damaged?: boolean;
}

/** Where the line of a node is; undefined while it is not in a file. */
export function rangeOf(node: EntryNode): Readonly<LineRange> | undefined {
  return isInFile(node) ? node : undefined;
}

function isInFile(node: EntryNode): node is EntryNode & LineRange {
  return node.line !== undefined;
}

/**
 * The result of adding a node; `adopted` means that its parent is missing and the entry before it replaces the parent.
 */
export type AddOutcome = 'added' | 'duplicate' | 'adopted';

/**
 * The tree of one session, in file order; pure, no entry is parsed here. A parent is before its children, so a
 * path never loops: an entry whose `parentId` names nothing before it (a lost line, or pi's fork, which drops labels
 * from the middle of a path) hangs on the entry written before it.
 */
export class EntryTree {
  private readonly byId = new Map<string, EntryNode>();
  private readonly order: EntryNode[] = [];
  private forked = false;
  private childLists: Map<EntryNode | undefined, EntryNode[]> | undefined;

  /** In file order, duplicates left out. */
  get nodes(): readonly EntryNode[] {
    return this.order;
  }

  /** The last usable entry: where a session continues when it is opened. */
  get last(): EntryNode | undefined {
    return this.order.findLast(node => node.damaged !== true);
  }

  /** Whether the tree has a fork: an entry, or the root, has more than one child. */
  get isForked(): boolean {
    return this.forked;
  }

  get(id: string): EntryNode | undefined {
    return this.byId.get(id);
  }

  /** Adds in file order. The first of two nodes with one id stays: pi repeats entries in some files. */
  add(node: EntryNode): AddOutcome {
    if (this.byId.has(node.id)) return 'duplicate';
    const before = this.order.at(-1);
    const isNext = node.parentId === before?.id;
    const named = node.parentId === null ? undefined : isNext ? before : this.byId.get(node.parentId);
    const adopted = node.parentId !== null && named === undefined;
    const parent = adopted ? before : named;
    if (parent) node.parent = parent;
    // The first entry that does not hang on the one before it makes a fork: each one further up has a child already.
    this.forked ||= parent !== before;
    this.byId.set(node.id, node);
    this.order.push(node);
    if (this.childLists) listOf(this.childLists, node.parent).push(node);
    return adopted && parent ? 'adopted' : 'added';
  }

  /** From the root to `id`, damaged entries left out; empty when there is no such entry. */
  path(id: string | null): EntryNode[] {
    // Without a fork, each entry hangs on the one before it.
    if (id === this.order.at(-1)?.id && !this.forked) return this.order.filter(({ damaged }) => damaged !== true);
    const path: EntryNode[] = [];
    let node = id === null ? undefined : this.byId.get(id);
    for (; node; node = node.parent) if (node.damaged !== true) path.push(node);
    return path.reverse();
  }

  /** Direct children in file order; `null` asks for the roots. */
  children(id: string | null): readonly EntryNode[] {
    const parent = id === null ? undefined : this.byId.get(id);
    if (id !== null && !parent) return [];
    this.childLists ??= this.groupByParent();
    return this.childLists.get(parent) ?? [];
  }

  /** Entries without children, in file order: the ends of all branches. */
  leaves(): EntryNode[] {
    this.childLists ??= this.groupByParent();
    const lists = this.childLists;
    return this.order.filter(node => !lists.has(node));
  }

  /** The deepest entry that is on both paths; undefined when they share none. */
  commonAncestor(first: string | null, second: string | null): EntryNode | undefined {
    const onFirst = new Set(this.path(first));
    return this.path(second).findLast(node => onFirst.has(node));
  }

  private groupByParent(): Map<EntryNode | undefined, EntryNode[]> {
    const lists = new Map<EntryNode | undefined, EntryNode[]>();
    for (const node of this.order) listOf(lists, node.parent).push(node);
    return lists;
  }
}

function listOf(lists: Map<EntryNode | undefined, EntryNode[]>, parent: EntryNode | undefined): EntryNode[] {
  const list = lists.get(parent);
  if (list) return list;
  const fresh: EntryNode[] = [];
  lists.set(parent, fresh);
  return fresh;
}

/** The label an entry has now, and when it got it. */
export interface Label {
  readonly label: string;
  readonly timestamp: string;
}

/** Applies one label entry. The later one counts, and an empty one removes the label. */
export function applyLabel(labels: Map<string, Label>, entry: LabelEntry): void {
  if (entry.label === undefined || entry.label === '') labels.delete(entry.targetId);
  else labels.set(entry.targetId, { label: entry.label, timestamp: entry.timestamp });
}

/** An entry with its branches, as `getTree` hands it to hooks and views (pi's shape). */
export interface SessionTreeNode {
  readonly entry: StoredEntry;
  readonly children: SessionTreeNode[];
  readonly label?: string;
  readonly labelTimestamp?: string;
}

/** The whole tree as nested nodes, children oldest first. `read` gives undefined for entries that cannot be used. */
export function nestedTree(
  tree: EntryTree,
  read: (node: EntryNode) => StoredEntry | undefined,
  labels: ReadonlyMap<string, Label>,
): SessionTreeNode[] {
  const roots: SessionTreeNode[] = [];
  const made = new Map<EntryNode, SessionTreeNode[]>();
  for (const node of tree.nodes) {
    const siblings = (node.parent && made.get(node.parent)) ?? roots;
    const entry = read(node);
    if (!entry) {
      made.set(node, siblings);
      continue;
    }
    const label = labels.get(node.id);
    const children: SessionTreeNode[] = [];
    const labelled = label ? { label: label.label, labelTimestamp: label.timestamp } : {};
    siblings.push({ entry, children, ...labelled });
    made.set(node, children);
  }
  for (const children of made.values()) sortByTime(children);
  return roots;
}

function sortByTime(nodes: SessionTreeNode[]): void {
  nodes.sort((a, b) => (Date.parse(a.entry.timestamp) || 0) - (Date.parse(b.entry.timestamp) || 0));
}
