/**
 * The arguments of a prompt template, by pi's rules: split at blanks; a quote at the start of an argument holds words
 * together up to the same quote, where a backslash takes that quote as a letter; a quote inside a word is a letter
 * (`doesn't`), and so is one that is never closed.
 */
export function templateArguments(text: string): readonly string[] {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++;
      continue;
    }
    const quoted = quotedStart(text, at);
    const after = quoted?.end ?? at;
    const rest = /^\S*/.exec(text.slice(quoted === undefined ? at : after))?.[0] ?? '';
    words.push(`${quoted?.text ?? ''}${rest}`);
    at = after + rest.length;
  }
  return words;
}

/** The quoted text that begins here, without its quotes, and where what follows it begins. */
function quotedStart(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = text.charAt(start);
  if (quote !== '"' && quote !== "'") return undefined;
  let inner = '';
  for (let at = start + 1; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === quote) return { text: inner, end: at + 1 };
    const isEscaped = letter === '\\' && text.charAt(at + 1) === quote;
    if (isEscaped) at++;
    inner += isEscaped ? quote : letter;
  }
  return undefined;
}
