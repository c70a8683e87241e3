import { isUtf8 } from 'node:buffer';
import { lookAt, type FileState } from './file-state';
import type { FileNet } from './net-changes';
import type { ChangeTracker } from './tracker';
import { diffTexts } from '../tools/files/editing/diff';

/** Longer texts are not compared line by line for a list. */
const LONGEST_TEXT = 512 * 1024;

/** A text before a change and after it; a missing file is an empty text. Undefined: no text, or not known. */
export interface FileTexts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The text of a file before the session's first change; undefined when it was no text, or is not kept. */
export async function textBefore(tracker: ChangeTracker, { first }: FileNet): Promise<string | undefined> {
  return decodedText(await tracker.bytes(first, first.before));
}

/**
 * A file before the session's first change and as it is on disk now, where others than the agent may have changed it; `state` is
 * the present one.
 */
export async function fileTexts(
  tracker: ChangeTracker,
  net: FileNet,
): Promise<FileTexts & { readonly state: FileState }> {
  const [before, { state, bytes }] = await Promise.all([textBefore(tracker, net), lookAt(net.path)]);
  return { before, after: decodedText(bytes), state };
}

/** Undefined when the bytes are no text. */
export function decodedText(bytes: Buffer | undefined): string | undefined {
  return bytes === undefined || !isUtf8(bytes) || bytes.includes(0) ? undefined : bytes.toString('utf8');
}

/** The difference as cards show it; undefined when there is none to show. */
export function diffOf({ before, after }: FileTexts): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  return before.length + after.length > LONGEST_TEXT ? undefined : diffTexts(before, after, 3).diff;
}

/** Lines that a difference adds and removes. */
export function changedLineCounts(diff: string): { readonly added: number; readonly removed: number } {
  const lines = diff.split('\n');
  return {
    added: lines.filter(line => line.startsWith('+')).length,
    removed: lines.filter(line => line.startsWith('-')).length,
  };
}
