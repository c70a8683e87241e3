import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/defined';
import { isCode } from '../../base/errors';
import { hashOf } from '../../base/files/hash-of';
import { readRegularTextSync } from '../../base/files/regular-file';
import type { ApprovedFile } from '../approval-store/approval-record';
import type { PlaceName } from '../approval-store/approval-store';

/** A file that says what Hookline trusts, allows or runs. */
export interface WatchedFile {
  /** Absolute. */
  readonly path: string;
  readonly place: PlaceName;
  /** Its name in the record, whichever links lead to its folder. */
  readonly name: string;
  /** The part of its text whose changes wait; the whole text when absent. */
  readonly part?: WatchedPart;
  /** Other programs read it from disk: a change of an agent is undone there, at once. A file of which a part is watched has it then. */
  readonly isForOthers?: boolean;
  /** Of the file when it is put back; 0o600 when absent. */
  readonly mode?: number;
}

/** A part of a file that can be compared, and left out, by itself. */
export interface WatchedPart {
  /** The part as a text. In a file for others, an empty one is as if there were no file. */
  of(text: string): string;
  /**
   * The file with only what `approved`, a text of {@link of}, has of this part. Where that cannot be made of a file for others, it
   * gets the whole text again that it had when the part was accepted.
   */
  without(text: string, approved: string): string;
  /** {@link without} can always be made, so that the whole text, which may have keys, is not kept. */
  readonly needsNoBase?: true;
}

/** What is on disk; `unreadable`: it is there, and nobody can tell what it says. */
export type OnDisk = { readonly type: 'text'; readonly text: string } | { readonly type: 'missing' | 'unreadable' };

/** A watched file at a check. */
export interface FileNow {
  readonly disk: OnDisk;
  readonly part: string | undefined;
  readonly base: string | undefined;
  /** Whether what changed counts as the agent's. */
  readonly isAtCall: boolean;
  /** Whether it is no wonder that no row of it is there. */
  readonly isNew: boolean;
}

/** The next row of a file. */
export function rowAfter(
  path: string,
  row: ApprovedFile | undefined,
  { disk, part, base, isAtCall, isNew }: FileNow,
): ApprovedFile {
  if (disk.type === 'unreadable') {
    if (!isAtCall) return { ...row, path, isUnreadable: true };
    return row?.isUnreadable === true ? row : { ...row, path, held: true };
  }
  const now: ApprovedFile = { path, ...defined({ hash: part === undefined ? undefined : hashOf(part), base }) };
  // A record is written before a call begins, so one that is missing during a call was removed.
  if (row === undefined) return isAtCall && !isNew && part !== undefined ? { path, held: true, isUnknown: true } : now;
  const { hash, held, isUnknown } = row;
  const isAsBefore = hash === now.hash && (isUnknown !== true || part === undefined);
  return isAsBefore || !(isAtCall || held === true)
    ? now
    : { path, held: true, ...defined({ hash, base: row.base, isUnknown }) };
}

export function isSame(rows: readonly ApprovedFile[], others: readonly ApprovedFile[]): boolean {
  const has = (row: ApprovedFile): boolean => others.some(other => isDeepStrictEqual(row, other));
  return rows.length === others.length && rows.every(has);
}

/** The part of a text that is compared; undefined where it counts as no file. */
export function partOf({ part, isForOthers = false }: WatchedFile, text: string): string | undefined {
  const own = part === undefined ? text : part.of(text);
  return isForOthers && part !== undefined && own === '' ? undefined : own;
}

/** Whether its whole text is kept, too. */
export function hasBase({ part, isForOthers = false }: WatchedFile): boolean {
  return isForOthers && part !== undefined && part.needsNoBase !== true;
}

export function onDisk(path: string): OnDisk {
  try {
    return { type: 'text', text: readRegularTextSync(path) };
  } catch (error) {
    return { type: isCode(error, 'ENOENT') ? 'missing' : 'unreadable' };
  }
}
