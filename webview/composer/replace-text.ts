/**
 * Replaces what differs in a text field, so that the user can undo it like something typed. Focuses the field and fires an
 * `input` event; the caret stands behind what was replaced.
 */
export function replaceText(area: HTMLTextAreaElement, next: string): void {
  const { value } = area;
  if (next === value) return;
  const most = Math.min(value.length, next.length);
  let start = 0;
  while (start < most && value[start] === next[start]) start++;
  let tail = 0;
  while (tail < most - start && value.at(-1 - tail) === next.at(-1 - tail)) tail++;
  const inserted = next.slice(start, next.length - tail);
  area.focus();
  area.setSelectionRange(start, value.length - tail);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else keeps what can be undone
  document.execCommand(inserted === '' ? 'delete' : 'insertText', false, inserted);
}
