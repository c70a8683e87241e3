/** The pattern with which both the host and the page search for a text, which must not be empty. */
export function findPattern(text: string, matchCase: boolean): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), matchCase ? 'gu' : 'giu');
}
