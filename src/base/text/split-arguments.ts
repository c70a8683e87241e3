/** Splits at blanks; `'…'` and `"…"` hold words together, `""` is a word. An unclosed quote runs to the end. */
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
