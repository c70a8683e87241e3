import { KNOWN_COMMANDS } from './';
import type { CommandEntry, ReadingForm } from './entry';
import type { SimpleCommand } from './shell-words';

/** A command that only reads. */
export interface ReadingCommand {
  /** The program, with its verb where it has one, as the table names it. */
  readonly name: string;
  readonly program: string;
  /** The shell itself runs it. */
  readonly isBuiltIn: boolean;
  /** Paths of files and folders that it may read, as written. For git, revisions are among them. */
  readonly paths: readonly string[];
  /** Paths that must be the folder of the call, as written. */
  readonly here: readonly string[];
}

/** Names of all commands that have a form that only reads, in alphabetical order. */
export const READING_COMMANDS: readonly string[] = Object.entries(KNOWN_COMMANDS)
  .flatMap(([name, { reads }]) => (reads === undefined ? [] : [name]))
  .sort();

/** The command as one that only reads; undefined when it may do more, or when the gate does not know one of its words. */
export function readingCommand(words: SimpleCommand): ReadingCommand | undefined {
  const [program = ''] = words;
  const { rest, here } = program === 'git' ? withoutGlobals(words.slice(1)) : { rest: words.slice(1), here: [] };
  // The longest name counts: `git stash list` before `git stash`.
  const length =
    [2, 1, 0].find(count => entryOf([program, ...rest.slice(0, count)].join(' '))?.reads !== undefined) ?? 0;
  const name = [program, ...rest.slice(0, length)].join(' ');
  const form = entryOf(name)?.reads;
  const read = form === undefined ? undefined : readWords(rest.slice(length), form);
  if (form === undefined || read === undefined) return undefined;
  const isBuiltIn = form.isBuiltIn === true;
  return form.operands === 'here'
    ? { name, program, isBuiltIn, paths: [], here: [...here, ...read] }
    : { name, program, isBuiltIn, paths: read, here };
}

function entryOf(name: string): CommandEntry | undefined {
  return Object.hasOwn(KNOWN_COMMANDS, name) ? KNOWN_COMMANDS[name] : undefined;
}

/** The words of git after its options that change nothing: without a pager, and in the folder of the call. */
function withoutGlobals(words: readonly string[]): { readonly rest: readonly string[]; readonly here: string[] } {
  const here: string[] = [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === '-C') here.push(words[(at += 1)] ?? '');
    else if (word !== '--no-pager') break;
  }
  return { rest: words.slice(at), here };
}

/** The paths among the arguments; undefined when an argument is not known. */
function readWords(words: readonly string[], form: ReadingForm): readonly string[] | undefined {
  const { operands } = form;
  if (operands === 'any') return [];
  const options = new Set<string>();
  const others: string[] = [];
  let isEnded = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word.startsWith('~')) return undefined;
    if (!word.startsWith('-')) {
      others.push(word);
      continue;
    }
    if (isEnded) return undefined;
    if (word === '--') {
      isEnded = true;
      continue;
    }
    const option = readOption(word, form);
    if (option === undefined) return undefined;
    for (const name of option.names) options.add(name);
    // A value that looks like an option could be one in another version of the program.
    if (option.takesNext && (words[(at += 1)] ?? '-').startsWith('-')) return undefined;
  }
  return pathsAmong(others, options, form);
}

interface ReadOption {
  readonly names: readonly string[];
  /** The next word is its value. */
  readonly takesNext: boolean;
}

function readOption(
  word: string,
  { flags = '', values = '', long = [], words, number }: ReadingForm,
): ReadOption | undefined {
  if (words !== undefined && Object.hasOwn(words, word)) return { names: [word], takesNext: words[word] === 1 };
  if (number === true && /^-\d+$/.test(word)) return { names: [], takesNext: false };
  if (word.startsWith('--')) {
    const [name = ''] = word.split('=', 1);
    const isKnown = long.includes(word) || long.includes(`${name}=`);
    // A signature is checked by a program.
    return isKnown && !/%G|%\(signature/.test(word) ? { names: [name], takesNext: false } : undefined;
  }
  const names: string[] = [];
  for (const [index, letter] of Array.from(word.slice(1)).entries()) {
    if (values.includes(letter)) return { names: [...names, `-${letter}`], takesNext: index === word.length - 2 };
    if (!flags.includes(letter)) return undefined;
    names.push(`-${letter}`);
  }
  return names.length === 0 ? undefined : { names, takesNext: false };
}

function pathsAmong(
  others: readonly string[],
  options: ReadonlySet<string>,
  { operands, pattern, patternless = [], operandsWith, least = 0, most = Infinity }: ReadingForm,
): readonly string[] | undefined {
  if (others.length < least || others.length > most) return undefined;
  if (others.length > 0 && operandsWith?.some(name => options.has(name)) === false) return undefined;
  switch (operands) {
    case 'none':
      return others.length === 0 ? [] : undefined;
    case 'text':
    case 'any':
      return [];
    case 'paths':
    case 'here':
      return others;
    case 'pattern': {
      if (patternless.some(name => options.has(name))) return others;
      const [first = ''] = others;
      return others.length > 0 && pattern?.test(first) === false ? undefined : others.slice(1);
    }
  }
}
