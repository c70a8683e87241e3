/**
 * A translated message whose placeholders `{0}`, `{1}` … stand for parts that are more than text, as lit draws them:
 * `filled(l10n.t('Blocked by {0}'), link)`.
 */
export function filled(message: string, ...parts: readonly unknown[]): readonly unknown[] {
  return message.split(/\{(\d)\}/).map((piece, index) => (index % 2 === 0 ? piece : parts[Number(piece)]));
}
