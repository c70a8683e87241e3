/** A submitted text taken apart as a slash command. */
export interface CommandLine {
  readonly name: string;
  /** Everything after the one space, as typed. */
  readonly args: string;
}

/** Undefined when the text is no command; a newline belongs to the name, so `/cmd⏎…` names no known one. */
export function parseCommandLine(text: string): CommandLine | undefined {
  if (!text.startsWith('/')) return undefined;
  const space = text.indexOf(' ');
  if (space < 0) return { name: text.slice(1), args: '' };
  return { name: text.slice(1, space), args: text.slice(space + 1) };
}
