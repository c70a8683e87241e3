import { isUtf8 } from 'node:buffer';
import type { FileNet } from './net-changes';
import type { ChangeTracker } from './tracker';
import { diffTexts } from '../tools/files/editing/diff';

/** Longer texts are not compared line by line for a list. */
const LONGEST_TEXT = 512 * 1024;

/** A file before the session's first change and after its last one. Undefined: no text, or not kept. */
export interface FileTexts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Reads both texts from what is kept. A missing file is an empty text. */
export async function fileTexts(tracker: ChangeTracker, { first, last }: FileNet): Promise<FileTexts> {
  const [before, after] = await Promise.all([tracker.bytes(first, first.before), tracker.bytes(last, last.after)]);
  return { before: decodedText(before), after: decodedText(after) };
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
