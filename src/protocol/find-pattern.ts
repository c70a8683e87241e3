/** What a search text matches, as host and page both search with it; for a text that is not empty. */
export function findPattern(text: string, matchCase: boolean): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), matchCase ? 'gu' : 'giu');
}
