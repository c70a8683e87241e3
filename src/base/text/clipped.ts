/** A text of at most `length` characters: of a longer one, the beginning and `…`. */
export function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
