import type { GuardEntry, GuardFormat } from './guard-format';

/** A line of each file that Hookline writes as a whole says this; without it, a file of that name is somebody else's. */
export const OWN_FILE_MARK = 'Written by "hookline guard add"';

/**
 * A file that is ours as a whole: a program that an agent starts or loads. `textOf` gives its text, with {@link OWN_FILE_MARK};
 * the one entry that {@link GuardFormat.own} returns stands for the file.
 */
export function ownFileFormat(textOf: (entries: readonly GuardEntry[]) => string): GuardFormat {
  const isOwn = (text: string): boolean => text.includes(OWN_FILE_MARK);
  return {
    isWhole: true,
    add(text, entries) {
      if (text.trim() !== '' && !isOwn(text)) throw new Error('it is not a file of Hookline');
      return textOf(entries);
    },
    remove: text => (isOwn(text) ? undefined : text),
    own: text => (isOwn(text) ? [{ event: '', command: '', group: 0, handler: 0, value: text }] : []),
  };
}
