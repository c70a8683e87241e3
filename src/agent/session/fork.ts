import { encodeLine } from './file/codec';
import { asEntryId, type EntryId, type StoredEntry } from './entry';
import type { EntryNode } from './tree';
import type { ReadableSession } from './readable-session';

/** The session that is copied. */
interface CopySource extends Pick<ReadableSession, 'getEntry' | 'getLabels'> {
  /** An entry's text in the file, when it is known. */
  lineOf(node: EntryNode): string | undefined;
}

/** The session that the copy goes into. */
interface CopyTarget extends Pick<ReadableSession, 'getPathIds' | 'getLeafId'> {
  /** Adds an entry as it is; `line` is its text in the file. */
  importEntry(entry: StoredEntry, line?: string): void;
}

interface WrittenCopy extends CopyTarget {
  flush(): Promise<void>;
}

/** Text waiting to be written is kept below this while copying. */
const FLUSH_CHARS = 4 * 1024 * 1024;

export interface CopyPlan {
  /** In file order or from root to leaf; damaged ones are left out, and their children follow the entry before. */
  readonly nodes: readonly EntryNode[];
  /** Leave out the label entries and write the labels that still hold at the end. */
  readonly labelsLast: boolean;
}

/**
 * Copies entries with their ids into an empty session and resolves once they are on disk. Lines are copied byte
 * for byte unless the entry gets another parent.
 */
export async function copySession(from: CopySource, to: WrittenCopy, plan: CopyPlan): Promise<void> {
  const steps = copyInSteps(from, to, plan);
  while (steps.next().done !== true) await to.flush();
  await to.flush();
}

/** Like {@link copySession}, into a session that writes on its own; yields while much text waits to be written. */
export function* copyInSteps(from: CopySource, to: CopyTarget, plan: CopyPlan): Generator<undefined, void> {
  const copied = new Set<EntryNode>();
  let waiting = 0;
  for (const node of plan.nodes) {
    if (plan.labelsLast && node.type === 'label') continue;
    const entry = from.getEntry(node.id);
    if (!entry) continue;
    const parentId = nearestCopied(node, copied);
    const line = parentId === entry.parentId ? from.lineOf(node) : undefined;
    const copy = parentId === entry.parentId ? entry : { ...entry, parentId };
    const text = line ?? encodeLine(copy);
    to.importEntry(copy, text);
    copied.add(node);
    waiting += text.length;
    if (waiting <= FLUSH_CHARS) continue;
    waiting = 0;
    yield;
  }
  if (plan.labelsLast) copyLabels(from, to);
}

function nearestCopied(node: EntryNode, copied: ReadonlySet<EntryNode>): EntryId | null {
  let parent = node.parent;
  while (parent && !copied.has(parent)) parent = parent.parent;
  return parent?.id ?? null;
}

function copyLabels(from: CopySource, to: CopyTarget): void {
  const present = new Set<string>(to.getPathIds().map(node => node.id));
  for (const [targetId, { label, timestamp }] of from.getLabels()) {
    if (!present.has(targetId)) continue;
    const id = freshId(present);
    const entry: StoredEntry = {
      type: 'label',
      id,
      parentId: to.getLeafId(),
      timestamp,
      targetId: asEntryId(targetId),
      label,
    };
    present.add(id);
    to.importEntry(entry);
  }
}

function freshId(taken: ReadonlySet<string>): EntryId {
  for (;;) {
    const id = crypto.randomUUID().slice(0, 8);
    if (!taken.has(id)) return asEntryId(id);
  }
}
