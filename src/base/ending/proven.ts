import { isMark, type Mark } from './mark.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';

/** What is known of the processes that are to be ended. */
export interface Roots {
  /** Children of ours whose end was not reported yet: nobody else can have their pids, nor the groups that they lead. */
  readonly children: readonly number[];
  /** What the processes inherited from us. */
  readonly mark: Mark;
  /** Whether a process counts for its mark alone, also when it has lost its parents. */
  readonly byMark: boolean;
  /** Processes that were proven before: pid and `startedAt`. */
  readonly known: ReadonlyMap<number, number>;
}

/**
 * Finds the processes that may be ended, which are only those that are proven to be ours: the children, the groups that they
 * lead, the marked, those that were proven before, and all descendants of these by parents and times. A descendant with
 * marks, but not with this one, belongs to another tree: what a hook let go in an agent below this one lives on.
 *
 * Whatever else is said, these are never among them: pid 1 and less, this process (`self`) and its ancestors, processes
 * that are older than this one, and those of other users (docs/reliability.md, "What Hookline must never do to others").
 */
export function provenProcesses(table: ProcessTable, roots: Roots, self: number): readonly ProcessRow[] {
  const { mark, byMark, known } = roots;
  const byPid = new Map(table.rows.map(row => [row.pid, row]));
  const me = byPid.get(self);
  if (me === undefined) return [];
  const spared = ancestorsOf(me, byPid);
  const younger = table.rows.filter(row => row.pid > 1 && !spared.has(row.pid) && row.startedAt >= me.startedAt);
  // Several children may have ended before the first one is reported: another process can have the pid of such a child.
  const children = roots.children.filter(child => (byPid.get(child)?.parent ?? self) === self);
  const proven = new Set(
    younger.filter(
      row =>
        known.get(row.pid) === row.startedAt ||
        children.some(child => row.pid === child || row.group === child) ||
        (byMark && isMark(mark) && table.flagsOf(row).includes(mark)),
    ),
  );
  const isChild = (row: ProcessRow, parent: ProcessRow): boolean =>
    row.startedAt >= parent.startedAt && !isOfAnotherTree(table.flagsOf(row), mark) && table.isStill(parent);
  for (let before = -1; before !== proven.size;) {
    before = proven.size;
    for (const row of younger) {
      const parent = byPid.get(row.parent);
      if (!proven.has(row) && parent !== undefined && proven.has(parent) && isChild(row, parent)) proven.add(row);
    }
  }
  const user = table.userOf(me);
  return younger.filter(row => proven.has(row) && table.userOf(row) === user);
}

function ancestorsOf(me: ProcessRow, byPid: ReadonlyMap<number, ProcessRow>): ReadonlySet<number> {
  const found = new Set<number>();
  for (let row: ProcessRow | undefined = me; row !== undefined && !found.has(row.pid); row = byPid.get(row.parent)) {
    found.add(row.pid);
  }
  return found;
}

function isOfAnotherTree(flags: readonly string[], mark: Mark): boolean {
  return flags.some(isMark) && !flags.includes(mark);
}
