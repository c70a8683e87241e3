/** A text of at most `length` characters: of a longer one, the beginning and `…`. */
export function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** The same, but of a longer text, `…` stands for its middle, so that what comes last is seen. */
export function clippedInside(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 3);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(-tail)}`;
}
