/** The words of one simple command, without quotes. */
export type SimpleCommand = readonly string[];

/** The longest line that is read, in UTF-16 units; nobody reviews a longer one. */
export const LONGEST_LINE = 32_768;

/** Words that begin something other than a simple command, or that run their arguments or a file as commands. */
const NOT_SIMPLE = new Set([
  ...['if', 'then', 'else', 'elif', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'in', 'select'],
  ...['function', 'time', 'coproc', 'eval', 'exec', 'source', '.', 'command', 'builtin', 'trap', 'alias', 'unalias'],
  ...['export', 'declare', 'typeset', 'local', 'readonly', 'set', 'shopt', 'enable', 'hash'],
]);

/** Characters without a special meaning in a word of any shell, as long a run as there is. */
const PLAIN = /[\p{L}\p{N}_.,/:=@%+^~-]+/uy;

/** A quoted part of a word; between double quotes, nothing that a shell replaces. */
const QUOTED = /'([^']*)'|"([^"$`\\!]*)"/y;

const BLANKS = /[ \t]+/y;

const SEPARATOR = /&&|\|\||;(?!;)|\||\n/y;

/** A redirection that reads or writes no real file. */
const REDIRECTION = /(?:>&[12]|&?>{1,2} ?\/dev\/null|< ?\/dev\/null)(?=[\s;&|]|$)/y;

/** The same with the number of a stream, which a shell reads only where a word begins. */
const NUMBERED = /[12](?:>&[12]|>{1,2} ?\/dev\/null)(?=[\s;&|]|$)/y;

/** A word that is being read. */
interface OpenWord {
  readonly parts: string[];
  isQuoted: boolean;
  /** Whether a part without quotes has an equals sign: as the first word of a command, it is then an assignment. */
  assigns: boolean;
}

/**
 * The simple commands of a line for a POSIX shell, in order. Undefined for every line that could do more than run
 * exactly these: with substitutions, variables, redirections to files, subshells, background jobs, assignments,
 * patterns that expand, or anything that is not known here. Undefined also for lines over {@link LONGEST_LINE}. The
 * line is read once, in steps that each take a whole part of it.
 */
export function simpleCommands(line: string): readonly SimpleCommand[] | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  const reading = new LineReading(line);
  return reading.run() ? reading.commands : undefined;
}

class LineReading {
  readonly commands: string[][] = [];
  private words: string[] = [];
  /** Undefined between words. */
  private word: OpenWord | undefined;
  private at = 0;
  /** The last thing that was read is a separator after which a command must come. */
  private isOpen = false;

  constructor(private readonly line: string) {}

  /** Reads the line; returns false if it is not known to be simple. */
  run(): boolean {
    while (this.at < this.line.length) if (!this.step()) return false;
    if (!this.endWord()) return false;
    // `a &&` needs another command; `a;` and `a` with a line break after it do not.
    return this.words.length > 0 ? this.endCommand() : this.commands.length > 0 && !this.isOpen;
  }

  private step(): boolean {
    if (this.take(BLANKS) !== undefined) return this.endWord();
    if (this.word === undefined && this.take(NUMBERED) !== undefined) return true;
    if (this.take(REDIRECTION) !== undefined) return !this.isNumber() && this.endWord();
    const separator = this.take(SEPARATOR);
    if (separator !== undefined) return this.endWord() && this.separate(separator[0]);
    const quoted = this.take(QUOTED);
    if (quoted !== undefined) return this.append(quoted[1] ?? quoted[2] ?? '', true);
    const plain = this.take(PLAIN);
    return plain !== undefined && this.append(plain[0], false);
  }

  /** Reads what matches at this point; undefined when nothing does. */
  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.line);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }

  private append(text: string, isQuoted: boolean): boolean {
    const word = (this.word ??= { parts: [], isQuoted: false, assigns: false });
    // After these signs, a shell replaces a tilde by the home folder.
    const before = word.parts.at(-1)?.at(-1) ?? '';
    if (!isQuoted && /[=:]~/.test(before + text)) return false;
    word.isQuoted ||= isQuoted;
    word.assigns ||= !isQuoted && text.includes('=');
    word.parts.push(text);
    return true;
  }

  /** Whether the word before a redirection would be read as the number of a stream. */
  private isNumber(): boolean {
    return this.word !== undefined && !this.word.isQuoted && /^\d+$/.test(this.word.parts.join(''));
  }

  private endWord(): boolean {
    const { word } = this;
    this.word = undefined;
    if (word === undefined) return true;
    if (this.words.length === 0 && word.assigns) return false;
    this.words.push(word.parts.join(''));
    return true;
  }

  private separate(separator: string): boolean {
    // An empty line does not separate commands.
    if (separator === '\n' && this.words.length === 0) return true;
    this.isOpen = separator !== ';' && separator !== '\n';
    return this.endCommand();
  }

  private endCommand(): boolean {
    const { words } = this;
    this.words = [];
    const [program] = words;
    if (program === undefined || program === '' || NOT_SIMPLE.has(program)) return false;
    this.commands.push(words);
    return true;
  }
}
