import type { ChatItem } from '../../src/protocol/chat-item';
import type { EditedMessage, WebviewToHost } from '../../src/protocol/messages';
import { messageToEdit } from './edit-banner';

/** Which sent message the composer's text takes the place of, and the keys that lead there and out. */
export class Editing {
  private edited: EditedMessage | undefined;
  /** Item that the keys led to last. */
  private walkedTo: string | undefined;

  get message(): EditedMessage | undefined {
    return this.edited;
  }

  set(edited: EditedMessage | undefined): void {
    this.edited = edited;
    if (edited === undefined) this.walkedTo = undefined;
  }

  /** F2 walks back through sent messages, with Shift forth, and Escape leaves; undefined for all other keys. */
  key(event: KeyboardEvent, items: readonly ChatItem[]): WebviewToHost | undefined {
    if (event.altKey || event.ctrlKey || event.metaKey) return undefined;
    if (event.key === 'Escape') return this.edited && !event.shiftKey ? { type: 'cancelEdit' } : undefined;
    if (event.key !== 'F2') return undefined;
    const step = event.shiftKey ? 'newer' : 'older';
    const id = messageToEdit(items, this.edited && this.walkedTo, step);
    if (id === undefined) return undefined;
    this.walkedTo = id;
    return { type: 'editMessage', id };
  }
}
