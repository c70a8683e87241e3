/** A text that was submitted as a command. */
export interface SubmittedCommand {
  readonly name: string;
  /** Everything after the space that follows the name, as typed. */
  readonly args: string;
}

/** Splits `/name args`; undefined when the text is not a command. A newline belongs to the name, so `/x\ny` is none. */
export function parseCommand(text: string): SubmittedCommand | undefined {
  if (!text.startsWith('/')) return undefined;
  const blank = text.indexOf(' ');
  const name = blank < 0 ? text.slice(1) : text.slice(1, blank);
  if (name === '' || name.includes('\n')) return undefined;
  return { name, args: blank < 0 ? '' : text.slice(blank + 1) };
}
