import { object, oneOf, reader, text, type Of } from '../../src/protocol/base/shape';
import { pathOf, type TreeNode, type TreeState } from './tree-state';

const TreeFilter = object({
  /** Words that an entry must contain; empty for all entries. */
  text,
  show: oneOf('all', 'user', 'labelled'),
});
/** Which entries are listed. The page saves it, so that it is there again when VS Code has put the page away. */
export type TreeFilter = Of<typeof TreeFilter>;

export const readTreeFilter = reader(TreeFilter);

/** The user's filter and folding. */
export interface TreeView extends TreeFilter {
  /** Ids of entries: the first entry of each unfolded run, and each entry whose branches are folded. */
  readonly toggled: ReadonlySet<string>;
}

export const WHOLE_TREE: TreeView = { text: '', show: 'all', toggled: new Set() };

/** One row of the tree. */
export interface TreeRow {
  /** The row's identity, which does not change when the row moves. */
  readonly key: string;
  readonly node: TreeNode;
  /** Id of the first entry of its branch; empty for the branch at the left edge. */
  readonly branch: string;
  /** Number of its lane: 0 at the left edge, and one more for each branch of a branch. */
  readonly lane: number;
  /** It is the first of its branch, so a line from the previous lane leads to it. */
  readonly starts: boolean;
  /** Nothing follows in its lane. */
  readonly ends: boolean;
  /** It is on the path from the beginning to the current message. */
  readonly onPath: boolean;
  /** How many entries the row stands for; more than one for a run. */
  readonly count: number;
  /** Whether its run or its branches are unfolded; undefined when there is nothing to fold. */
  readonly expanded?: boolean;
  /** It is inside of an unfolded run. */
  readonly inRun: boolean;
  /** Position among the rows of its branch, 1-based. */
  readonly place: number;
  /** How many rows its branch has. */
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
 * The rows of the tree, from the beginning down. Of several entries after one entry, the one on the current path (else the
 * last one) keeps the lane; the rows of the other branches come before it. Runs of steps between two messages are folded
 * into one row. With a filter, there are rows only for the entries that match.
 */
export function treeRows(state: TreeState, view: TreeView): readonly TreeRow[] {
  const path = pathOf(state);
  const isWanted = filterOf(state, view);
  const rows: Draft[] = [];
  const stack: Step[] = [];
  pushChildren(stack, state.roots, path, { lane: 0, branch: '' });
  for (let step = stack.pop(); step; step = stack.pop()) {
    const { node } = step;
    if (isWanted?.(node) === false) {
      pushChildren(stack, node.children, path, step);
      continue;
    }
    const run = isWanted === undefined ? runFrom(node, state, step.starts) : [node];
    const last = run.at(-1) ?? node;
    const isFork = isWanted === undefined && last.children.length > 1;
    const isFolded = isFork && view.toggled.has(last.entry.id);
    if (run.length > 1) {
      for (const row of runRows(step, run, path, view)) rows.push(row);
    } else rows.push({ ...rowOf(step, path), ...(isFork ? { expanded: !isFolded } : {}) });
    endOf(rows, last);
    pushChildren(stack, isFolded ? [mainChild(last.children, path)] : last.children, path, step);
  }
  return placed(rows);
}

/** The row for a run and, if it is unfolded, those of its entries. */
function runRows(step: Step, run: readonly TreeNode[], path: ReadonlySet<TreeNode>, view: TreeView): readonly Draft[] {
  const { id } = step.node.entry;
  const expanded = view.toggled.has(id);
  const row: Draft = { ...rowOf(step, path), key: `run ${id}`, count: run.length, expanded };
  if (!expanded) return [row];
  return [row, ...run.map(node => ({ ...rowOf({ ...step, node, starts: false }, path), inRun: true }))];
}

/** The one of several entries after one entry that keeps the lane. */
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

/** The run of agent steps that begins at an entry; only the entry itself when it needs a row of its own. */
function runFrom(node: TreeNode, state: TreeState, starts: boolean): readonly TreeNode[] {
  const run: TreeNode[] = [];
  if (starts && !isStep(node, state)) return [node];
  for (let at: TreeNode | undefined = node; at && isStep(at, state); [at] = at.children) {
    run.push(at);
  }
  return run.length === 0 ? [node] : run;
}

/** Whether an entry can be part of a run: a tool result, an unknown entry, or an answer before a tool result. */
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
    const searched = `${entry.text}\n${label ?? ''}`.toLowerCase();
    return words.every(word => searched.includes(word));
  };
}

/** Sets `place` and `places` of each row. */
function placed(rows: readonly Draft[]): readonly TreeRow[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    row.place = (counts.get(row.branch) ?? 0) + 1;
    counts.set(row.branch, row.place);
  }
  for (const row of rows) row.places = counts.get(row.branch) ?? 1;
  return rows;
}

/** The view with everything unfolded, and without a filter, that is needed for an entry to have its own row. */
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
