/** `@path` at the start or after a blank; quoted when the path has blanks. */
const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|'([^'\n]+)'|(\S+))/g;
/** What a sentence puts behind a path. */
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;
/** Begins a block of code in markdown; what follows a run of backticks holds none. */
const FENCE_START = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** A word of a text that may name something with `@`. */
export interface MentionWord {
  /** Where it begins in the text, with its `@`. */
  readonly start: number;
  readonly isQuoted: boolean;
  /** What it may name, likeliest first: as it is written, and without the punctuation at its end. */
  readonly candidates: readonly string[];
}

/** The words of a text that begin with `@`, in order; none of a fenced block of code. */
export function mentionWords(text: string): readonly MentionWord[] {
  return [...withBlankFences(text).matchAll(MENTION)].map(({ index: start, 1: double, 2: single, 3: bare = '' }) => {
    const named = double ?? single;
    return { start, isQuoted: named !== undefined, candidates: named === undefined ? spellings(bare) : [named] };
  });
}

function spellings(word: string): readonly string[] {
  const bare = word.replace(PUNCTUATION, '');
  return bare === '' || bare === word ? [word] : [word, bare];
}

/**
 * A text with blanks in place of its fenced blocks of code: an `@` in code is an annotation or a package, not a mention of a
 * file. As in Markdown, a block without an end reaches to the end of the text.
 */
function withBlankFences(text: string): string {
  let fence = '';
  return text
    .split('\n')
    .map(line => {
      const isOpen = fence !== '';
      if (!isOpen) fence = FENCE_START.exec(line)?.[1] ?? '';
      else if (closes(line, fence)) fence = '';
      return isOpen || fence !== '' ? ' '.repeat(line.length) : line;
    })
    .join('\n');
}

function closes(line: string, fence: string): boolean {
  const marks = line.trim();
  return marks.length >= fence.length && marks === fence.slice(0, 1).repeat(marks.length) && !/^ {4}/.test(line);
}
