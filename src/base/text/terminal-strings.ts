/** What ends a string sequence: BEL, ST, and within one for tmux, where each ESC is doubled, the next sequence. */
const END = String.raw`(?:\x07|\x1b\\|\x1b(?=\x1b))`;

/**
 * Matches a string sequence of terminals, as the source of a regular expression: OSC (titles, hyperlinks, marks of
 * prompts; the text of a complete one is the group `osc`), DCS, SOS, PM and APC. One without an end reaches up to the
 * next sequence or the end of its line, so that it never hides other lines. No 8-bit forms.
 */
export const TERMINAL_STRING = String.raw`\x1b(?:\](?<osc>[^\x07\x1b\r\n]*)${END}|[\]PX^_][^\x07\x1b\r\n]*${END}?)`;

/** Matches a sequence at the end of a text, whose own end may follow. */
const UNFINISHED = new RegExp(String.raw`\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\r\n]*\x1b?|[ -/]+)?$`);
/** Of a longer sequence, nobody waits for the end; characters. */
const LONGEST_UNFINISHED = 4096;

/** With an end that is left over. */
const STRINGS = new RegExp(String.raw`${TERMINAL_STRING}|\x1b\\`, 'g');

/** The text without string sequences; colors stay. */
export function withoutTerminalStrings(text: string): string {
  return text.includes('\x1b') ? text.replace(STRINGS, '') : text;
}

/** The sequence with which a piece of output ends and whose own end may come with the next piece; empty for none. */
export function unfinishedSequence(text: string): string {
  return UNFINISHED.exec(text.slice(-LONGEST_UNFINISHED))?.[0] ?? '';
}
