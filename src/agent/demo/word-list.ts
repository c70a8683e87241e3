const WORDS = (
  'small hooks see every call before it runs and may stop it or change what comes back so a person keeps the last word ' +
  'while the model writes on in plain view'
).split(' ');
const SENTENCE = 12;

/** Exactly `count` words in numbered sentences; the numbers belong to the words, so gaps and repeats can be seen. */
export function numberedWords(count: number): string {
  const words: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const isFirst = at % SENTENCE === 0;
    const isLast = at % SENTENCE === SENTENCE - 1 || at === count - 1;
    const word = isFirst ? `[${at + 1}]` : (WORDS[at % WORDS.length] ?? 'word');
    words.push(isLast ? `${word}.\n` : word);
  }
  return words.join(' ').replaceAll('\n ', '\n').trim();
}
