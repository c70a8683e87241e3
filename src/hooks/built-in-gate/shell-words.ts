/** The words of one simple command, without quotes. */
export type SimpleCommand = readonly string[];

/** Characters that have no special meaning in a word of any shell. */
const PLAIN = /[\p{L}\p{N}_.,/:=@%+^~-]/u;

/** Words that begin something other than a simple command, or that run their arguments or a file as commands. */
const NOT_SIMPLE = new Set([
  ...['if', 'then', 'else', 'elif', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'in', 'select'],
  ...['function', 'time', 'coproc', 'eval', 'exec', 'source', '.', 'command', 'builtin', 'trap', 'alias', 'unalias'],
  ...['export', 'declare', 'typeset', 'local', 'readonly', 'set', 'shopt', 'enable', 'hash'],
]);

/** Redirections that read or write no real file. */
const HARMLESS_REDIRECTION = /^(?:[12]?>&[12]|[12&]?>{1,2} ?\/dev\/null|< ?\/dev\/null)(?=[\s;&|]|$)/;

/**
 * The simple commands of a line for a POSIX shell, in order. Undefined for every line that could do more than run
 * exactly these: with substitutions, variables, redirections to files, subshells, background jobs, assignments,
 * patterns that expand, or anything that is not known here.
 */
export function simpleCommands(line: string): readonly SimpleCommand[] | undefined {
  const reading = new LineReading(line);
  return reading.run() ? reading.commands : undefined;
}

class LineReading {
  readonly commands: string[][] = [];
  private words: string[] = [];
  /** The word that is being read; undefined between words. */
  private word: string | undefined;
  /** Whether a part of the word was quoted: then it is not an assignment. */
  private isQuoted = false;
  private at = 0;

  constructor(private readonly line: string) {}

  /** Reads the line; returns false if it is not known to be simple. */
  run(): boolean {
    while (this.at < this.line.length) if (!this.step()) return false;
    if (!this.endWord()) return false;
    // `a &&` needs another command; `a;` and `a` with a line break after it do not.
    return this.words.length > 0
      ? this.endCommand()
      : this.commands.length > 0 && !/(?:\|\||&&|\|)\s*$/.test(this.line);
  }

  private step(): boolean {
    const rest = this.line.slice(this.at);
    const [sign = ''] = rest;
    if (sign === "'" || sign === '"') return this.quoted(sign, rest);
    if (sign === ' ' || sign === '\t') return this.skip(1) && this.endWord();
    const redirection = this.word === undefined || /^[12]$/.test(this.word) ? this.redirection() : undefined;
    if (redirection !== undefined) return redirection;
    const separator = /^(?:&&|\|\||;(?!;)|\||\n)/.exec(rest)?.[0];
    if (separator !== undefined) {
      // An empty line does not separate commands.
      if (separator === '\n' && this.word === undefined && this.words.length === 0) return this.skip(1);
      return this.skip(separator.length) && this.endWord() && this.endCommand();
    }
    const [plain = ''] = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    if (!PLAIN.test(plain) || (plain === '~' && this.word !== undefined)) return false;
    this.word = (this.word ?? '') + plain;
    return this.skip(plain.length);
  }

  private skip(length: number): boolean {
    this.at += length;
    return true;
  }

  /** Reads a redirection; undefined when none begins here. A number before it was already read as a word. */
  private redirection(): boolean | undefined {
    const from = this.at - (this.word?.length ?? 0);
    const found = HARMLESS_REDIRECTION.exec(this.line.slice(from))?.[0];
    if (found === undefined || !/^[&<>12]/.test(found)) return undefined;
    this.word = undefined;
    this.at = from + found.length;
    return true;
  }

  private quoted(quote: string, rest: string): boolean {
    const end = rest.indexOf(quote, 1);
    if (end < 0) return false;
    const text = rest.slice(1, end);
    if (quote === '"' && /[$`\\!]/.test(text)) return false;
    this.word = (this.word ?? '') + text;
    this.isQuoted = true;
    return this.skip(end + 1);
  }

  private endWord(): boolean {
    const { word, isQuoted } = this;
    this.word = undefined;
    this.isQuoted = false;
    if (word === undefined) return true;
    if (this.words.length === 0 && !isQuoted && word.includes('=')) return false;
    this.words.push(word);
    return true;
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
