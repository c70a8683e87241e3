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

/** What a look at the processes of the system proves. */
export interface Proven {
  /** May be ended. */
  readonly members: readonly ProcessRow[];
  /** There may be more, which began while the table was read. */
  readonly isYoung: boolean;
}

/**
 * Finds the processes that may be ended, which are only those that are proven to be ours: the children, the groups that they
 * lead, the marked, those that were proven before, and all descendants of these by parents and times. A descendant with
 * marks, but not with this one, belongs to another tree: what a hook detached in an agent below this one lives on.
 *
 * Whatever else is said, these are never among them: pid 1 and less, this process (`self`) and its ancestors, processes
 * that are older than this one, and those of other users (docs/reliability.md, "What Hookline must never do to others").
 */
export function provenProcesses(table: ProcessTable, roots: Roots, self: number): Proven {
  const { children, mark, byMark, known } = roots;
  const byPid = new Map(table.rows.map(row => [row.pid, row]));
  const me = byPid.get(self);
  if (me === undefined) return { members: [], isYoung: false };
  const spared = ancestorsOf(me, byPid);
  const younger = table.rows.filter(row => row.pid > 1 && !spared.has(row.pid) && row.startedAt >= me.startedAt);
  const proven = new Set(
    younger.filter(
      row =>
        known.get(row.pid) === row.startedAt ||
        children.some(child => row.pid === child || row.group === child) ||
        (byMark && isMark(mark) && table.flagsOf(row).includes(mark)),
    ),
  );
  let isYoung = false;
  for (let before = -1; before !== proven.size;) {
    before = proven.size;
    for (const row of younger) {
      const parent = byPid.get(row.parent);
      if (proven.has(row) || parent === undefined || !proven.has(parent) || row.startedAt < parent.startedAt) continue;
      if (isOfAnotherTree(table.flagsOf(row), mark)) continue;
      if (row.startedAt >= table.readFrom) isYoung = true;
      else proven.add(row);
    }
  }
  const user = table.userOf(me);
  return { members: younger.filter(row => proven.has(row) && table.userOf(row) === user), isYoung };
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
