const SAYS = '\n\nThe user says: ';

/** The reason of a refusal for the model, with what the user said about it, if anything. */
export function withWords(reason: string, says: string | undefined): string {
  return says === undefined ? reason : reason + SAYS + says;
}

/** What the user said, in a reason that {@link withWords} made; undefined if nothing. */
export function wordsIn(reason: string): string | undefined {
  const at = reason.indexOf(SAYS);
  return at < 0 ? undefined : reason.slice(at + SAYS.length);
}
