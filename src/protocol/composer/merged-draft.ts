/** What replaces a part of a text: `text` in place of the characters from `start` up to `end`. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The smallest part in which two texts differ. Both halves of a character in two code units count as one. */
export function replacementIn(before: string, after: string): Replacement {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  if (endsInHalf(before, start) || endsInHalf(after, start)) start--;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (beginsInHalf(before, before.length - tail) || beginsInHalf(after, after.length - tail)) tail--;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

/**
 * The draft after two pages changed the same one, `was`, at once: `theirs` came first, `mine` comes now. Both changes are
 * in it. Where they replaced the same part, what both wrote follows each other, so nothing that was typed is lost.
 */
export function mergedDraft(was: string, theirs: string, mine: string): string {
  if (theirs === was || theirs === mine) return mine;
  if (mine === was) return theirs;
  const [one, other] = [replacementIn(was, theirs), replacementIn(was, mine)];
  const [first, second] = one.start < other.start || one.end <= other.start ? [one, other] : [other, one];
  if (first.end <= second.start) return apply(apply(was, second), first);
  const both = { start: first.start, end: Math.max(one.end, other.end), text: one.text + other.text };
  return apply(was, both);
}

/** Where a caret at `caret` stands after `before` became `after`: by the same characters, if they are still there. */
export function movedCaret(caret: number, before: string, after: string): number {
  const { start, end, text } = replacementIn(before, after);
  if (caret <= start) return caret;
  return caret >= end ? caret + after.length - before.length : start + text.length;
}

function apply(text: string, { start, end, text: replacement }: Replacement): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function endsInHalf(text: string, end: number): boolean {
  const code = end === 0 ? 0 : text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff;
}

function beginsInHalf(text: string, start: number): boolean {
  const code = text.charCodeAt(start);
  return code >= 0xdc00 && code <= 0xdfff;
}
