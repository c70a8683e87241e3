/** White space that a reader sees as such; the rest of it is marked by `visibleText`. */
const SPACES = /(?:\r\n|[^\S\r\v\f\u2028\u2029\ufeff])+/g;

/**
 * A text on one line: each run of white space is one blank, and none is at the ends. Hidden characters that count as white
 * space elsewhere, such as a lone carriage return, stay.
 */
export function singleLine(text: string): string {
  return text.replace(SPACES, ' ').replace(/^ | $/g, '');
}
