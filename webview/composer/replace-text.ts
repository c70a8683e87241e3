import { replacementIn } from '../../src/protocol/composer/merged-draft';

/**
 * Replaces what differs in a text field, so that the user can undo it like something typed. Focuses the field and fires an
 * `input` event; the caret stands behind what was replaced.
 */
export function replaceText(area: HTMLTextAreaElement, next: string): void {
  const { value } = area;
  if (next === value) return;
  const { start, end, text } = replacementIn(value, next);
  area.focus();
  area.setSelectionRange(start, end);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else keeps what can be undone
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
}
