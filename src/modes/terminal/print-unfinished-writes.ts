import type { UnfinishedWrite } from '../../agent/tools/files/writing/unfinished-writes';

/** Names each file whose writing ended with an earlier process. */
export function printUnfinishedWrites(writes: readonly UnfinishedWrite[], printError: (text: string) => void): void {
  for (const write of writes) printError(`Warning: ${unfinishedText(write)} (${write.path}) See "hookline writes".`);
}

/** A sentence that says what happened to the file. */
export function unfinishedText({ isChanged }: UnfinishedWrite): string {
  return isChanged
    ? 'Hookline ended while it wrote this file, and the file was changed or removed since.'
    : 'Hookline ended while it wrote this file, which holds only a part of the new text.';
}
