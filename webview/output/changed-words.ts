import { diffWordsWithSpace, type ChangeObject } from 'diff';
import { hasHiddenCharacters } from '../../src/base/text/visible-text';

/** A part of a line: equal in both texts, or only in one of them. */
export interface LinePart {
  readonly text: string;
  readonly isChanged: boolean;
}

/** The parts of each line of a change. */
export interface MarkedLines {
  readonly removed: readonly (readonly LinePart[])[];
  readonly added: readonly (readonly LinePart[])[];
}

/** Longer texts, in characters, and texts that differ in more words are not compared. */
const MOST_CHARACTERS = 4_000;
const MOST_CHANGED_WORDS = 200;
/** Texts with less in common than this part of their characters are different as a whole. */
const LEAST_EQUAL = 0.3;

/**
 * The parts of removed lines and of the added lines that replace them. No word is marked when the lines have little in
 * common, or are too long.
 */
export function changedWords(removed: readonly string[], added: readonly string[]): MarkedLines {
  const changes = compare(removed.join('\n'), added.join('\n'));
  if (changes === undefined) return { removed: removed.map(unmarked), added: added.map(unmarked) };
  return { removed: linesOf(changes, 'added'), added: linesOf(changes, 'removed') };
}

function unmarked(text: string): readonly LinePart[] {
  return [{ text, isChanged: false }];
}

function compare(before: string, after: string): readonly ChangeObject<string>[] | undefined {
  // A cut could separate the characters of an emoji.
  if (before.length + after.length > MOST_CHARACTERS || hasHiddenCharacters(before + after)) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MOST_CHANGED_WORDS });
  const equal = changes?.filter(change => !change.added && !change.removed) ?? [];
  const inCommon = equal.reduce((sum, { value }) => sum + inkOf(value), 0);
  return inCommon > LEAST_EQUAL * Math.min(inkOf(before), inkOf(after)) ? changes : undefined;
}

/** The number of characters without spaces. */
function inkOf(text: string): number {
  return text.replace(/\s/g, '').length;
}

/** The lines of one of both texts, without what is only in the `other` one. */
function linesOf(changes: readonly ChangeObject<string>[], other: 'added' | 'removed'): LinePart[][] {
  const lines: LinePart[][] = [[]];
  for (const change of changes) {
    if (change[other]) continue;
    const isChanged = change.added || change.removed;
    change.value.split('\n').forEach((text, index) => {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ text, isChanged });
    });
  }
  return lines.map(joined);
}

/** Marks a space between two changed words, too. A line without an equal word has no marks: all of it is different. */
function joined(parts: readonly LinePart[]): LinePart[] {
  if (!parts.some(({ text, isChanged }) => !isChanged && text.trim() !== '')) {
    return parts.map(({ text }) => ({ text, isChanged: false }));
  }
  const result: LinePart[] = [];
  parts.forEach(({ text, isChanged }, index) => {
    const isBetween =
      text.trim() === '' && parts[index - 1]?.isChanged === true && parts[index + 1]?.isChanged === true;
    const last = result.at(-1);
    const marked = isChanged || isBetween;
    if (last?.isChanged === marked) result[result.length - 1] = { text: last.text + text, isChanged: marked };
    else result.push({ text, isChanged: marked });
  });
  return result;
}
