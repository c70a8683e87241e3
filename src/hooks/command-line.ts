/** A submitted text taken apart as a slash command (reference section 9). */
export interface CommandLine {
  readonly name: string;
  /** Everything after the one space, as typed. */
  readonly args: string;
}

/** Undefined when the text is no command; a newline belongs to the name, so `/cmd⏎…` names no known one (edge 28). */
export function parseCommandLine(text: string): CommandLine | undefined {
  if (!text.startsWith('/')) return undefined;
  const space = text.indexOf(' ');
  if (space < 0) return { name: text.slice(1), args: '' };
  return { name: text.slice(1, space), args: text.slice(space + 1) };
}

/** Splits at blanks; `'…'` and `"…"` hold words together. An unclosed quote runs to the end. */
export function splitArguments(args: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  let begun = false;
  let quote: string | undefined;
  for (const char of args) {
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      begun = true;
    } else if (/\s/.test(char)) {
      if (begun) words.push(word);
      word = '';
      begun = false;
    } else {
      word += char;
      begun = true;
    }
  }
  if (begun) words.push(word);
  return words;
}
