import type { Discovery, HookFile } from './discover';
import { isWithin } from '../../base/files/is-within';
import type { Slot } from './hook-slot';

/**
 * Adds files of the current set whose folder cannot be read now, each after the file that it followed: a folder that
 * cannot be listed for a moment has not lost its gates. Files that were only shown (held back) are left out; whoever
 * held them back names them again.
 */
export function keepUnreadable<D extends Discovery>(found: D, current: readonly Slot[]): D {
  const { unreadable = [] } = found;
  const isUnseen = (file: HookFile): boolean =>
    unreadable.some(place => isWithin(file.entry, place) || isWithin(file.path, place));
  const lost = current.filter(slot => slot.heldBack !== true && isUnseen(slot.file)).map(slot => slot.file);
  return lost.length === 0
    ? found
    : {
        ...found,
        files: withFiles(
          found.files,
          lost,
          current.map(({ file }) => file),
        ),
      };
}

/** Inserts `added` between `files`, in the order of `inOrder`; files that are already listed keep their place. */
export function withFiles(
  files: readonly HookFile[],
  added: readonly HookFile[],
  inOrder: readonly HookFile[],
): readonly HookFile[] {
  const result = [...files];
  const order = inOrder.map(({ path }) => path);
  for (const file of added) {
    if (result.some(({ path }) => path === file.path)) continue;
    const before = order.slice(0, order.indexOf(file.path)).reverse();
    const neighbour = before.find(path => result.some(other => other.path === path));
    result.splice(result.findIndex(other => other.path === neighbour) + 1, 0, file);
  }
  return result;
}
