import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { toDisposable, type Disposable } from '../disposable';
import { realPathIfThere } from './on-disk';
import { readRegularText } from './regular-file';

/** The text of a file that counts, which may not be the one on disk; undefined: as if there were no file. */
export interface CountedText {
  readonly text: string | undefined;
}

/** Holds changes of some files until the user accepts them. */
export interface TextKeeper {
  /** The text that counts; undefined for a file that it does not watch, and for one that it cannot read. */
  textOf(path: string): CountedText | undefined;
  /** Hookline itself wrote a file, so this text counts if a person may be who wanted it. */
  wrote(path: string, text: string): void;
  /** Whether a change of the whole file waits, which would be lost if the file were written. */
  isHeld(path: string): boolean;
}

const keepers = new Set<TextKeeper>();

/** Lets a keeper decide, until it is disposed, which text of its files counts in this process. */
export function addKeeper(keeper: TextKeeper): Disposable {
  keepers.add(keeper);
  return toDisposable(() => keepers.delete(keeper));
}

/** The name under which a watched file is known, whichever links lead to its folder. `path` is absolute. */
export function watchedName(path: string): string {
  return join(realPathIfThere(dirname(path)), basename(path));
}

/** What a keeper of this process says of a file; undefined where the text on disk counts. */
export function countedText(path: string): CountedText | undefined {
  for (const keeper of keepers) {
    const counted = keeper.textOf(path);
    if (counted !== undefined) return counted;
  }
  return undefined;
}

/**
 * The text that counts of a file which says what Hookline trusts, allows or runs: the text on disk, or while a change
 * waits for the user, the one before it.
 * @throws what the system says, with `ENOENT` for a missing file; SpecialFileError, FileTooLargeError
 */
export async function readCountedText(path: string): Promise<string> {
  const counted = countedText(path);
  if (counted === undefined) return await readRegularText(path);
  if (counted.text !== undefined) return counted.text;
  throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
}

/**
 * Call this before Hookline itself writes such a file. What waits in it would be lost.
 * @throws Error that says so
 */
export function refuseHeldText(path: string): void {
  if (![...keepers].some(keeper => keeper.isHeld(path))) return;
  throw new Error(l10n.t('{0} has a change that waits for you. First accept or reject it.', path));
}

/** Call this after Hookline itself wrote such a file. */
export function noteOwnText(path: string, text: string): void {
  for (const keeper of keepers) keeper.wrote(path, text);
}
