import { sameState, type FileState } from './file-state';
import type { ChangeRecord } from './record';

/** What became of one file in a session, over all changes. */
export interface FileNet {
  readonly path: string;
  /** Its state comes from before the first change. */
  readonly first: ChangeRecord;
  readonly last: ChangeRecord;
  /** It is as it was before the first change. */
  readonly isBack: boolean;
}

/** The changes of a session: its own, and those of the calls it shares with the session it was forked from. */
export function changesOf(
  records: readonly ChangeRecord[],
  session: string,
  calls: ReadonlySet<string>,
): readonly ChangeRecord[] {
  return records.filter(record => record.session === session || (record.kind === 'tool' && calls.has(record.call)));
}

/** The files of these changes, in order of their first change. */
export function filesOf(records: readonly ChangeRecord[]): readonly FileNet[] {
  const nets = new Map<string, { first: ChangeRecord; last: ChangeRecord }>();
  for (const record of records) {
    const net = nets.get(record.path);
    if (net === undefined) nets.set(record.path, { first: record, last: record });
    else net.last = record;
  }
  return [...nets].map(([path, { first, last }]) => ({
    path,
    first,
    last,
    isBack: sameState(first.before, last.after),
  }));
}

/** One file to be brought back, and what it is expected to be now. */
export interface Target {
  readonly path: string;
  readonly to: FileState;
  /** Session that keeps the bytes of `to`. */
  readonly keptBy: string;
  readonly expected: FileState;
}

/** What undoes these changes: each file as it was before the first of them. `all` tells what each is now. */
export function targetsFor(undone: readonly ChangeRecord[], all: readonly ChangeRecord[]): readonly Target[] {
  return filesOf(undone).map(({ path, first }) => ({
    path,
    to: first.before,
    keptBy: first.session,
    expected: all.findLast(record => record.path === path)?.after ?? first.before,
  }));
}

/** A moment in a session: before something was said. */
export interface Moment {
  /** ms since the epoch */
  readonly at: number;
  /** Tool calls that came before it. One may still have been running, so that time alone does not tell. */
  readonly before: ReadonlySet<string>;
}

/** The changes made after a moment: what a way back to it undoes. */
export function since(records: readonly ChangeRecord[], { at, before }: Moment): readonly ChangeRecord[] {
  const start = records.findIndex(record => record.at >= at && !before.has(record.call));
  return start < 0 ? [] : records.slice(start);
}

/** The last revert that can be undone: an undone one is a revert as well. */
export function lastRevert(records: readonly ChangeRecord[]): readonly ChangeRecord[] {
  const last = records.findLast(({ kind }) => kind === 'revert');
  return last === undefined ? [] : records.filter(({ kind, call }) => kind === 'revert' && call === last.call);
}
