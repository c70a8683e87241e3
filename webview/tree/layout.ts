import { pathOf, type TreeNode, type TreeState } from './tree-state';

/** What the user chose to see. */
export interface TreeView {
  /** Words that an entry must hold; empty for all. */
  readonly text: string;
  readonly show: 'all' | 'user' | 'labelled';
  /** Folded runs that are unfolded, by their first entry; branches that are folded, by theirs. */
  readonly toggled: ReadonlySet<string>;
}

export const WHOLE_TREE: TreeView = { text: '', show: 'all', toggled: new Set() };

/** One line of the picture. */
export interface TreeRow {
  /** Stays the same while the row means the same. */
  readonly key: string;
  readonly node: TreeNode;
  /** First entry of its branch; empty for the one at the left edge. */
  readonly branch: string;
  /** 0 for the path that goes on at the left edge, counting up with each branch that leaves it. */
  readonly lane: number;
  /** The first of its branch: a line leads here from the lane before. */
  readonly starts: boolean;
  /** Nothing follows in its lane. */
  readonly ends: boolean;
  readonly onPath: boolean;
  /** Entries that this row stands for, itself included; more than one for a folded or unfolded run. */
  readonly count: number;
  /** Undefined when there is nothing to fold. */
  readonly expanded?: boolean;
  /** It is within an unfolded run. */
  readonly inRun: boolean;
  /** 1-based, among those of its branch. */
  readonly place: number;
  readonly places: number;
}

type Draft = { -readonly [K in keyof TreeRow]: TreeRow[K] };

interface Step {
  readonly node: TreeNode;
  readonly lane: number;
  /** First entry of the branch. */
  readonly branch: string;
  readonly starts: boolean;
}

/**
 * The rows of the picture, from the beginning down. The current path (elsewhere: what was written last) keeps its lane;
 * branches that leave it are drawn before it goes on. Runs of steps between two messages are folded into one row. With a
 * filter, only what passes is drawn.
 */
export function treeRows(state: TreeState, view: TreeView): readonly TreeRow[] {
  const path = pathOf(state);
  const isWanted = filterOf(state, view);
  const rows: Draft[] = [];
  const stack: Step[] = [];
  pushChildren(stack, state.roots, path, { lane: 0, branch: '' });
  for (let step = stack.pop(); step; step = stack.pop()) {
    const { node, lane, branch, starts } = step;
    if (isWanted === undefined) {
      const run = runFrom(node, state, starts);
      if (run.length > 1) {
        const last = run.at(-1) ?? node;
        const expanded = view.toggled.has(node.entry.id);
        rows.push({ ...rowOf(step, path), key: `run ${node.entry.id}`, count: run.length, expanded });
        if (expanded) {
          for (const each of run) rows.push({ ...rowOf({ ...step, node: each, starts: false }, path), inRun: true });
        }
        endOf(rows, last);
        pushChildren(stack, last.children, path, { lane, branch });
        continue;
      }
    } else if (!isWanted(node)) {
      pushChildren(stack, node.children, path, { lane, branch });
      continue;
    }
    const row: Draft = rowOf(step, path);
    const isFork = node.children.length > 1;
    const folded = isFork && view.toggled.has(node.entry.id);
    if (isFork && isWanted === undefined) row.expanded = !folded;
    rows.push(row);
    endOf(rows, node);
    const shown = folded && isWanted === undefined ? [mainChild(node.children, path)] : node.children;
    pushChildren(stack, shown, path, { lane, branch });
  }
  return placed(rows);
}

/** Which of several entries after one entry keeps the lane. */
function mainChild(children: readonly TreeNode[], path: ReadonlySet<TreeNode>): TreeNode {
  const main = children.find(child => path.has(child)) ?? children.at(-1);
  if (main === undefined) throw new Error('nothing follows');
  return main;
}

function pushChildren(
  stack: Step[],
  children: readonly TreeNode[],
  path: ReadonlySet<TreeNode>,
  { lane, branch }: Pick<Step, 'lane' | 'branch'>,
): void {
  if (children.length === 0) return;
  const main = mainChild(children, path);
  stack.push({ node: main, lane, branch, starts: false });
  for (const child of children.toReversed()) {
    if (child !== main) stack.push({ node: child, lane: lane + 1, branch: child.entry.id, starts: true });
  }
}

function rowOf({ node, lane, branch, starts }: Step, path: ReadonlySet<TreeNode>): Draft {
  return {
    key: node.entry.id,
    node,
    lane,
    branch,
    starts,
    ends: false,
    onPath: path.has(node),
    count: 1,
    inRun: false,
    place: 0,
    places: 0,
  };
}

function endOf(rows: readonly Draft[], last: TreeNode): void {
  const row = rows.at(-1);
  if (row && last.children.length === 0) row.ends = true;
}

/** Steps of the agent that nobody needs to see one by one; only the entry itself when it is worth a row. */
function runFrom(node: TreeNode, state: TreeState, starts: boolean): readonly TreeNode[] {
  const run: TreeNode[] = [];
  if (starts && !isStep(node, state)) return [node];
  for (let at: TreeNode | undefined = node; at && isStep(at, state); [at] = at.children) {
    run.push(at);
  }
  return run.length === 0 ? [node] : run;
}

/** Tool results, and answers that go on with tools. */
function isStep({ entry, children }: TreeNode, { labels, leaf }: TreeState): boolean {
  if (labels.has(entry.id) || entry.id === leaf || children.length !== 1) return false;
  if (entry.kind === 'tool' || entry.kind === 'unknown') return true;
  return entry.kind === 'assistant' && children[0]?.entry.kind === 'tool';
}

function filterOf({ labels }: TreeState, { text, show }: TreeView): ((node: TreeNode) => boolean) | undefined {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
  if (words.length === 0 && show === 'all') return undefined;
  return ({ entry }) => {
    if (show === 'user' && entry.kind !== 'user') return false;
    const label = labels.get(entry.id);
    if (show === 'labelled' && label === undefined) return false;
    const said = `${entry.text}\n${label ?? ''}`.toLowerCase();
    return words.every(word => said.includes(word));
  };
}

/** Counts the rows of each branch. */
function placed(rows: readonly Draft[]): readonly TreeRow[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    row.place = (counts.get(row.branch) ?? 0) + 1;
    counts.set(row.branch, row.place);
  }
  for (const row of rows) row.places = counts.get(row.branch) ?? 1;
  return rows;
}

/** What has to be unfolded so that an entry has a row of its own. */
export function unfoldedFor(state: TreeState, view: TreeView, id: string): TreeView {
  const node = state.nodes.get(id);
  if (node === undefined) return view;
  const toggled = new Set(view.toggled);
  for (let at = node.parent; at; at = at.parent) {
    if (at.children.length > 1) toggled.delete(at.entry.id);
  }
  const shown = { ...view, text: '', show: 'all', toggled } as const;
  if (treeRows(state, shown).some(row => row.key === id)) return shown;
  const run = treeRows(state, shown).find(row => row.count > 1 && runFrom(row.node, state, row.starts).includes(node));
  if (run === undefined) return shown;
  return { ...shown, toggled: new Set([...toggled, run.node.entry.id]) };
}
