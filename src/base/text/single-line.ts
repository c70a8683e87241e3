/** A text on one line: each run of white space is one blank, and none is at the ends. */
export function singleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
