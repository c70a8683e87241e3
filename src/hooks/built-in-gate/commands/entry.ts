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

/** What the gate knows about a program (`git`) or one of its verbs (`git log`). */
export interface CommandEntry {
  readonly risky?: RiskyArguments;
  /** The same for arguments of a program before its verb. */
  readonly beforeVerb?: RiskyArguments;
}

/** What the gate knows, by the program or the program and its verb. */
export type CommandTable = Readonly<Record<string, CommandEntry>>;
