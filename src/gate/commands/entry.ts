/**
 * Arguments of a command that write a file of the caller's choice, or run something that the command does not name. A
 * rule for the beginning of a command does not cover them.
 */
export interface RiskyArguments {
  /** Long options without their dashes; every abbreviation of them counts, too. */
  readonly long?: readonly string[];
  /** Other long options, which are abbreviations of those in `long` as well, but mean nothing risky. */
  readonly harmless?: readonly string[];
  /** Long options are also read with one dash. */
  readonly oneDash?: true;
  /** Long options that are not abbreviated, with one dash or two; they count in every position. */
  readonly whole?: readonly string[];
  /** Letters of short options, alone, in a cluster or with their value. */
  readonly short?: string;
  /** Letters of short options whose value is the rest of the word. */
  readonly valued?: string;
  /** The first argument may be a cluster of short options without a dash. */
  readonly bundle?: true;
  /** Matches whole arguments that are no options; they count in every position. */
  readonly word?: RegExp;
  /** `--` does not end the options. */
  readonly afterEnd?: true;
  /** Everything counts, unless the arguments after the verb, joined by blanks, match this. */
  readonly unless?: RegExp;
}

/** How a command only reads. Every other option, and every word that does not fit, makes it another command. */
export interface ReadingForm {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of short options whose value, which is not a path, is the rest of the word or the next word. */
  readonly values?: string;
  /** Long options, with their dashes; `=` at the end: with a value, which is not a path. They are never abbreviated. */
  readonly long?: readonly string[];
  /** Options of one dash and several letters, with the number of words that follow as their values. */
  readonly words?: Readonly<Record<string, 0 | 1>>;
  /** A number is an option, as in `-20`. */
  readonly number?: true;
  /**
   * What the other words are. `paths`: files, and for git also revisions. `pattern`: the first is a pattern, the others are
   * files. `text`: they lead to no file. `any`: all words are text, also those with a dash. `here`: the folder of the call.
   */
  readonly operands: 'none' | 'paths' | 'pattern' | 'text' | 'any' | 'here';
  /** What the first word must be, where `operands` is `pattern`. */
  readonly pattern?: RegExp;
  /** With one of these options, the first word is a file. */
  readonly patternless?: readonly string[];
  /** Other words are allowed only with one of these options. */
  readonly operandsWith?: readonly string[];
  /** How many other words there must be, and may be. */
  readonly least?: number;
  readonly most?: number;
  /** The shell itself runs it. */
  readonly isBuiltIn?: true;
}

/** What the gate knows about a program (`git`) or one of its verbs (`git log`). */
export interface CommandEntry {
  /** Absent: the command is not known to have a form that only reads. */
  readonly reads?: ReadingForm;
  readonly risky?: RiskyArguments;
  /** The same for arguments of a program before its verb. */
  readonly beforeVerb?: RiskyArguments;
}

/** What the gate knows, by the program or the program and its verb. */
export type CommandTable = Readonly<Record<string, CommandEntry>>;
