import { randomUUID } from 'node:crypto';
import { sep } from 'node:path';
import { messageOf } from '../../base/errors';
import { withFileQueue } from '../tools/files/writing/mutation-queue';
import { ABSENT, sameState, writeState, type FileState } from './file-state';
import type { FileNet, Target } from './net-changes';
import type { StoredChange } from './record';
import type { ChangeTracker } from './tracker';

/** Why one file cannot be brought back. */
export type Refusal =
  | { readonly type: 'notKept'; readonly why: 'tooLarge' | 'gone' | 'unreadable' | 'folder' | 'special' }
  | { readonly type: 'inTheWay'; readonly why: 'tooLarge' | 'unreadable' | 'folder' | 'special' }
  | { readonly type: 'unsaved' }
  | { readonly type: 'changedMeanwhile' }
  | { readonly type: 'failed'; readonly message: string };

export interface RefusedFile {
  readonly path: string;
  readonly refusal: Refusal;
}

interface Step {
  readonly path: string;
  readonly from: FileState;
  readonly to: FileState;
  readonly bytes: Buffer;
}

/** What a revert would do, looked up before anything is done. */
export interface RevertPlan {
  readonly steps: readonly Step[];
  /** Files that others changed since, or in between: restoring them undoes more than requested. */
  readonly changedSince: readonly string[];
  readonly refused: readonly RefusedFile[];
}

export interface RevertOutcome {
  readonly done: readonly string[];
  readonly refused: readonly RefusedFile[];
}

/** Computes what to write. `isUnsaved` tells files with text in an editor that is not on disk. Writes no file. */
export async function planRevert(
  tracker: ChangeTracker,
  session: string,
  targets: readonly Target[],
  isUnsaved: (path: string) => boolean,
): Promise<RevertPlan> {
  const steps: Step[] = [];
  const changedSince: string[] = [];
  const refused: RefusedFile[] = [];
  for (const target of targets) {
    const { path, to } = target;
    const found = await tracker.read(session, path);
    const from = noFile(targets, target, found) ? ABSENT : found;
    if (sameState(from, to)) continue;
    const bytes = await tracker.bytes({ session: target.keptBy }, to);
    const refusal = refusalFor(from, to, bytes, isUnsaved(path));
    if (refusal !== undefined) refused.push({ path, refusal });
    else steps.push({ path, from, to, bytes: bytes ?? Buffer.alloc(0) });
    const losesMore = target.takesMore || !sameState(from, target.expected);
    if (refusal === undefined && losesMore) changedSince.push(path);
  }
  return { steps: inOrder(steps), changedSince, refused };
}

/** Performs a plan. Checks each file again; the change is in the journal before it is on disk. Never rejects. */
export async function performRevert(
  tracker: ChangeTracker,
  session: string,
  { steps, refused }: RevertPlan,
): Promise<RevertOutcome> {
  const call = `revert:${randomUUID()}`;
  const done: string[] = [];
  const failed: RefusedFile[] = [...refused];
  for (const { path, from, to, bytes } of steps) {
    const refusal = await withFileQueue(path, async (): Promise<Refusal | undefined> => {
      const change = { at: tracker.now(), session, call, tool: 'revert', kind: 'revert', path } as const;
      if (!sameState(await tracker.read(session, path), from)) return { type: 'changedMeanwhile' };
      try {
        if (to.kind === 'file' || to.kind === 'link') await tracker.journal.blobs(session).put(bytes);
        await tracker.add([{ ...change, before: from, after: to }]);
        await writeState(path, to, bytes, { root: tracker.cwd, records: tracker.writeRecords });
        return undefined;
      } catch (error) {
        await tracker.add([{ ...change, before: to, after: await tracker.read(session, path) }]);
        return { type: 'failed', message: messageOf(error) };
      }
    });
    if (refusal === undefined) done.push(path);
    else failed.push({ path, refusal });
  }
  return { done, refused: failed };
}

/** Records the present content of files of a session, which others restored, as one revert. */
export async function recordRestored(
  tracker: ChangeTracker,
  session: string,
  files: readonly FileNet[],
): Promise<void> {
  const common = {
    at: tracker.now(),
    session,
    call: `revert:${randomUUID()}`,
    tool: 'revert',
    kind: 'revert',
  } as const;
  const changes: StoredChange[] = [];
  for (const { path, last } of files) {
    const before = last.after;
    const after = await tracker.read(session, path);
    if (after.kind === 'lost' || sameState(before, after)) continue;
    // A fork keeps what its own revert needs to be undone.
    const bytes = await tracker.bytes(last, before);
    if (bytes !== undefined && before.kind !== 'absent') await tracker.journal.blobs(session).put(bytes);
    changes.push({ ...common, path, before, after });
  }
  if (changes.length > 0) await tracker.add(changes);
}

function refusalFor(from: FileState, to: FileState, bytes: Buffer | undefined, unsaved: boolean): Refusal | undefined {
  if (unsaved) return { type: 'unsaved' };
  if (from.kind === 'lost') return { type: 'inTheWay', why: from.why };
  if (to.kind === 'lost') return { type: 'notKept', why: to.why };
  return bytes === undefined ? { type: 'notKept', why: 'gone' } : undefined;
}

/** A folder at the path is fine where no file is wanted, and elsewhere if all files in it will be removed. */
function noFile(targets: readonly Target[], { path, to }: Target, found: FileState): boolean {
  if (found.kind !== 'lost' || found.why !== 'folder') return false;
  return to.kind === 'absent' || targets.some(other => other.to.kind === 'absent' && other.path.startsWith(path + sep));
}

/** Files go before others come, the deepest first, so that a file can take the place of a folder and the reverse. */
function inOrder(steps: readonly Step[]): readonly Step[] {
  const leaving = steps.filter(({ to }) => to.kind === 'absent');
  const coming = steps.filter(({ to }) => to.kind !== 'absent');
  return [...leaving.sort((a, b) => b.path.length - a.path.length), ...coming];
}
