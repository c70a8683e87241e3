import { KNOWN_COMMANDS } from './';
import type { CommandEntry, RiskyArguments } from './entry';
import type { SimpleCommand } from './shell-words';

/**
 * The arguments of a command, from the word at `from` on, that write a file of the caller's choice or run something that
 * the command does not name. None for programs that the gate does not know.
 */
export function riskyArguments(words: SimpleCommand, from = 1): readonly string[] {
  const name = programName(words);
  const { risky, beforeVerb } = entryOf(name) ?? {};
  const found = words.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  const verbAt = found < 0 ? words.length : found;
  const ofVerb = entryOf(`${name} ${words[verbAt] ?? ''}`)?.risky;
  const indices = new Set([
    ...riskyIn(words, { first: 1, end: words.length }, risky),
    ...riskyIn(words, { first: 1, end: verbAt }, beforeVerb),
    ...riskyIn(words, { first: verbAt + 1, end: words.length }, ofVerb),
  ]);
  return words.filter((_word, index) => index >= from && indices.has(index));
}

/** The name of the program that a command runs, without its folder. */
function programName([program = '']: SimpleCommand): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

function entryOf(name: string): CommandEntry | undefined {
  return Object.hasOwn(KNOWN_COMMANDS, name) ? KNOWN_COMMANDS[name] : undefined;
}

/** Indices of the risky arguments from `first` on, before `end`. */
function riskyIn(
  words: SimpleCommand,
  { first, end }: { readonly first: number; readonly end: number },
  risky: RiskyArguments | undefined,
): readonly number[] {
  if (risky === undefined || first >= end) return [];
  const indices = Array.from({ length: end - first }, (_none, index) => first + index);
  if (risky.unless !== undefined) return risky.unless.test(words.slice(first).join(' ')) ? [] : indices;
  const optionsEnd = risky.afterEnd === true ? words.length : endOfOptions(words);
  return indices.filter(index => {
    const word = words[index] ?? '';
    if (risky.bundle === true && index === first && hasAny(word, risky.short)) return true;
    if (!word.startsWith('-')) return risky.word?.test(word) === true;
    return isRiskyOption(word, risky, index > optionsEnd);
  });
}

/** Index of the word `--` that ends the options. After an option, `--` may be its value and end nothing. */
function endOfOptions(words: SimpleCommand): number {
  const found = words.findIndex((word, at) => at > 0 && word === '--' && words[at - 1]?.startsWith('-') === false);
  return found < 0 ? words.length : found;
}

/** `word` begins with a dash. */
function isRiskyOption(word: string, risky: RiskyArguments, isAfterEnd: boolean): boolean {
  // Options may have parts, as in `--config.script-shell` or `-test.coverprofile`.
  const parts = (word.replace(/^--?/, '').split('=', 1)[0] ?? '').split('.');
  if (risky.whole?.includes(parts.at(-1) ?? '') === true) return true;
  if (isAfterEnd) return false;
  const [name = ''] = parts;
  const isLong = (): boolean =>
    risky.harmless?.includes(name) !== true && risky.long?.some(each => each.startsWith(name)) === true;
  if (word.startsWith('--')) return name !== '' && isLong();
  return hasShort(word.slice(1), risky) || (risky.oneDash === true && name.length > 2 && isLong());
}

function hasAny(word: string, letters = ''): boolean {
  return Array.from(letters).some(letter => word.includes(letter));
}

function hasShort(cluster: string, { short = '', valued = '' }: RiskyArguments): boolean {
  for (const letter of cluster) {
    if (short.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}
