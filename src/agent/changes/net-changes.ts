import { sameState, type FileState } from './file-state';
import type { ChangeRecord } from './record';

/** The sum of all changes of one file in a session. */
export interface FileNet {
  readonly path: string;
  /** The record whose `before` is the state before all changes. */
  readonly first: ChangeRecord;
  readonly last: ChangeRecord;
  /** The file is as it was before the first change. */
  readonly isBack: boolean;
}

/** The sessions from which a session was forked, each with the time of the fork, in ms since the epoch. */
export type Ancestors = ReadonlyMap<string, number>;

/**
 * The changes of a session: its own, and those of the calls it shares with the sessions it was forked from. Ids of
 * calls are not unique across sessions: changes of other sessions do not count.
 */
export function changesOfSession(
  records: readonly ChangeRecord[],
  session: string,
  calls: ReadonlySet<string>,
  ancestors: Ancestors = new Map(),
): readonly ChangeRecord[] {
  return records.filter(record => {
    if (record.session === session) return true;
    const until = ancestors.get(record.session);
    return until !== undefined && record.kind === 'tool' && record.at <= until && calls.has(record.call);
  });
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

/** The path of each new file -> the deleted file that had the same content before the session, and is not empty. */
export function renamesIn(nets: readonly FileNet[]): ReadonlyMap<string, FileNet> {
  const gone = new Map<string, FileNet>();
  for (const net of nets) {
    const { before } = net.first;
    if (net.last.after.kind === 'absent' && before.kind === 'file' && before.size > 0) gone.set(before.blob, net);
  }
  const renames = new Map<string, FileNet>();
  for (const { path, first, last } of nets) {
    const { after } = last;
    if (first.before.kind !== 'absent' || after.kind !== 'file') continue;
    const was = gone.get(after.blob);
    if (was !== undefined && gone.delete(after.blob)) renames.set(path, was);
  }
  return renames;
}

/** One file to revert, and its expected present state. */
export interface Target {
  readonly path: string;
  readonly to: FileState;
  /** Session that keeps the bytes of `to`. */
  readonly keptBy: string;
  readonly expected: FileState;
  /** Restoring it undoes more than requested: a later change, or a change by others in between. */
  readonly takesMore: boolean;
}

/** The targets that undo these changes: each file as it was before the first of them. `all` has the current states. */
export function targetsFor(undone: readonly ChangeRecord[], all: readonly ChangeRecord[]): readonly Target[] {
  const meant = new Set(undone.map(({ seq }) => seq));
  const later = new Map<string, ChangeRecord[]>();
  const nets = filesOf(undone);
  const starts = new Map(nets.map(({ path, first }) => [path, first.seq]));
  for (const record of all) {
    const start = starts.get(record.path);
    if (start === undefined || record.seq < start) continue;
    const list = later.get(record.path);
    if (list === undefined) later.set(record.path, [record]);
    else list.push(record);
  }
  return nets.map(({ path, first }) => {
    const records = later.get(path) ?? [first];
    return {
      path,
      to: first.before,
      keptBy: first.session,
      expected: records.at(-1)?.after ?? first.before,
      takesMore: records.some(({ seq }) => !meant.has(seq)) || hasGap(records),
    };
  });
}

/** Whether something else changed the file between two of these changes. */
function hasGap(records: readonly ChangeRecord[]): boolean {
  return records.some((record, at) => {
    const previous = records[at - 1];
    return previous !== undefined && !sameState(previous.after, record.before);
  });
}

/** A moment in a session: before a message. */
export interface Moment {
  /** ms since the epoch */
  readonly at: number;
  /** Tool calls before that moment. The time alone is not enough, because a call may still have been running. */
  readonly before: ReadonlySet<string>;
}

/** The changes made after a moment, which restoring that moment undoes. */
export function since(records: readonly ChangeRecord[], { at, before }: Moment): readonly ChangeRecord[] {
  const start = records.findIndex(record => record.at >= at && !before.has(record.call));
  return start < 0 ? [] : records.slice(start);
}

/** The last revert that can be undone. An undo counts as a revert, too. */
export function lastRevert(records: readonly ChangeRecord[]): readonly ChangeRecord[] {
  const last = records.findLast(({ kind }) => kind === 'revert');
  return last === undefined ? [] : records.filter(({ kind, call }) => kind === 'revert' && call === last.call);
}
