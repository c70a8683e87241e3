import type { WebviewToHost } from '../../src/protocol/messages';
import type { ChatState } from './reducer';

/**
 * The message for a key that works everywhere in the page: Alt+Page Down and Alt+Page Up show the next and the previous
 * conversation, and F2 on a message of the user edits it. Undefined for all other keys.
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
 * Calls `focus` when the page has the focus but none of its elements does, for example after VS Code focused the view. It
 * is not called for a click, which focuses its own target.
 * @returns a function that does the same check now; to be called when the page is first drawn
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
