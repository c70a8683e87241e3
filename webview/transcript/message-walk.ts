import type { ChatItem } from '../../src/protocol/chat-item';

/** What the commands for the next and the previous message stop at: what somebody said or asks. */
function isMessage(item: ChatItem): boolean {
  return item.kind === 'user' || item.kind === 'assistant' || item.kind === 'custom' || item.kind === 'gate';
}

/**
 * Id of the message before or after the item `from`. Without `from` the walk begins at the end: going back finds the
 * last message. Undefined when there is none in that direction.
 */
export function neighbour(
  items: readonly ChatItem[],
  from: string | undefined,
  direction: 'next' | 'previous',
): string | undefined {
  const index = from === undefined ? items.length : items.findIndex(({ id }) => id === from);
  if (direction === 'previous') return items.slice(0, Math.max(0, index)).findLast(isMessage)?.id;
  return index < 0 ? undefined : items.slice(index + 1).find(isMessage)?.id;
}

/** Puts the focus on an item's element, which takes it only for as long as it has it. */
export function focusItem(element: HTMLElement): void {
  element.tabIndex = -1;
  const left = (): void => {
    // When the whole page loses the focus, the element is to have it again afterwards.
    if (document.activeElement === element) return;
    element.removeAttribute('tabindex');
    element.removeEventListener('blur', left);
  };
  element.addEventListener('blur', left);
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest' });
}
