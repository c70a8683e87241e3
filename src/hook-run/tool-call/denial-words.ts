/** The reason of a refusal for the model, with what the user said about it, if anything. */
export function withWords(reason: string, says: string | undefined): string {
  return says === undefined ? reason : `${reason}\n\nThe user says: ${says}`;
}
