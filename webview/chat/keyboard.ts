import type { WebviewToHost } from '../../src/protocol/messages';
import type { ChatState } from './reducer';

/**
 * What a key means anywhere in the page: Alt+Page Down and Alt+Page Up lead to the next and the previous conversation,
 * F2 on a message of the user opens it for editing. Undefined for all other keys.
 */
export function pageKey(event: KeyboardEvent, { tabs }: Pick<ChatState, 'tabs'>): WebviewToHost | undefined {
  if (event.shiftKey || event.ctrlKey || event.metaKey) return undefined;
  if (event.key === 'F2' && !event.altKey) return editOf(event.target);
  if (!event.altKey || (event.key !== 'PageDown' && event.key !== 'PageUp') || tabs.length < 2) return undefined;
  const at = tabs.findIndex(tab => tab.shown) + (event.key === 'PageDown' ? 1 : -1);
  const next = tabs.at(at % tabs.length);
  return next && { type: 'showConversation', id: next.id };
}

function editOf(target: EventTarget | null): WebviewToHost | undefined {
  const item = target instanceof Element ? target.closest<HTMLElement>('[data-kind="user"][data-state="sent"]') : null;
  const id = item?.dataset['itemId'];
  return id === undefined ? undefined : { type: 'editMessage', id };
}

/**
 * Gives the focus to `focus`'s target whenever the page as a whole has it and no element of the page does: when VS Code
 * focuses the view, and when the page is first drawn. A pointer chooses its own target.
 * @returns to be called once there is something to focus
 */
export function focusWithPage(focus: () => void): () => void {
  let pointing = false;
  const take = (): void => {
    if (!pointing && document.hasFocus() && document.activeElement === document.body) focus();
  };
  window.addEventListener(
    'pointerdown',
    () => {
      pointing = true;
      window.setTimeout(() => {
        pointing = false;
      });
    },
    { capture: true },
  );
  window.addEventListener('focus', take);
  return take;
}
