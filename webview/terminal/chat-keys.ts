import type { ComponentToHost, ComponentToPage } from '../../src/protocol/items/hook-component';
import { belongsToEditor, encodeKey, isCharacter, keyNames, shortcutName } from './keys';

/** Keys that move the cursor or scroll. A listening hook gets them, but cannot consume them. */
const ONLY_HEARD = /^(Arrow|Page|Home|End|Tab$|F\d)/;
/** Key events that this file dispatched. They were offered to the hook already. */
const replayed = new WeakSet<Event>();

interface Held {
  readonly target: EventTarget;
  readonly event: KeyboardEvent;
}

/**
 * Handles the keys of the chat that hooks may use: their shortcuts, and keys for `onTerminalInput`. A key that a listening
 * hook may consume waits for the hook's answer. If the hook did not consume it, it is typed then.
 */
export class ChatKeys {
  private shortcuts = new Map<string, string>();
  private listening = false;
  private readonly held = new Map<number, Held>();
  private count = 0;

  constructor(
    root: HTMLElement,
    private readonly send: (message: ComponentToHost) => void,
  ) {
    root.addEventListener('keydown', event => this.pressed(event), { capture: true });
  }

  update({ shortcuts, listening }: Extract<ComponentToPage, { type: 'keys' }>): void {
    this.shortcuts = new Map(shortcuts.map(written => [shortcutName(written), written]));
    this.listening = listening;
  }

  answered({ id, consumed }: Extract<ComponentToPage, { type: 'rawKeyDone' }>): void {
    const held = this.held.get(id);
    this.held.delete(id);
    if (held !== undefined && !consumed) replay(held);
  }

  private pressed(event: KeyboardEvent): void {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- no other sign exists for some input methods
    if (replayed.has(event) || event.isComposing || event.keyCode === 229 || belongsToEditor(event)) return;
    // A component of a hook gets all its keys; only an input box shares them with shortcuts, as in pi.
    const inComponent = event.target instanceof Element ? event.target.closest<HTMLElement>('.hook-component') : null;
    if (inComponent !== null && inComponent.dataset['place'] !== 'editor') return;
    const written = keyNames(event).flatMap(name => this.shortcuts.get(name) ?? [])[0];
    if (written !== undefined) {
      swallow(event);
      this.send({ type: 'shortcut', key: written });
    } else if (this.listening && inComponent === null) this.offer(event);
  }

  private offer(event: KeyboardEvent): void {
    const data = encodeKey(event);
    if (data === undefined || event.target === null) return;
    this.count += 1;
    if (!ONLY_HEARD.test(event.key) && isTextField(event.target)) {
      swallow(event);
      this.held.set(this.count, { target: event.target, event });
    }
    this.send({ type: 'rawKey', id: this.count, data });
  }
}

function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isTextField(target: EventTarget): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/** Dispatches the key again for the page's handlers, then does what the browser would have done by default. */
function replay({ target, event }: Held): void {
  const { key, code, shiftKey, ctrlKey, altKey, metaKey } = event;
  const init = { key, code, shiftKey, ctrlKey, altKey, metaKey, bubbles: true, cancelable: true };
  const again = new KeyboardEvent('keydown', init);
  replayed.add(again);
  if (!target.dispatchEvent(again) || !(target instanceof HTMLElement)) return;
  const altGraph = event.getModifierState('AltGraph');
  if ((ctrlKey || altKey) && !altGraph) return;
  target.focus();
  // Only text that is typed in this way can be undone in the field.
  const type = (command: string, text?: string): void => {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
    document.execCommand(command, false, text);
  };
  if (key === 'Backspace') type('delete');
  else if (key === 'Delete') type('forwardDelete');
  else if (key === 'Enter') type('insertText', '\n');
  else if (isCharacter(key)) type('insertText', key);
}
