import * as l10n from '@vscode/l10n';
import type { ChatItem } from '../../src/protocol/chat-item';
import type { EditedMessage, WebviewToHost } from '../../src/protocol/messages';
import { html, nothing, type TemplateResult } from 'lit';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';
import { visibleText } from '../visible-text';

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

/** Says whose place the text takes, and leads out of it. */
export function editBanner(editing: EditedMessage | undefined): TemplateResult | typeof nothing {
  if (editing === undefined) return nothing;
  const was = visibleText(editing.was.replace(/\s+/g, ' '));
  const cancel = l10n.t('Cancel editing (Escape)');
  return html`<p class="edit-banner" data-hookline="editing" role="status">
    ${icon('edit')}
    <span class="clip" title=${was}>${l10n.t('Sent again from before “{0}”', was)}</span>
    <button
      type="button"
      class="icon-button"
      aria-label=${cancel}
      title=${cancel}
      @click=${emits({ type: 'cancelEdit' })}
    >
      ${icon('close')}
    </button>
  </p>`;
}

/**
 * The message that the key for editing leads to: of those that were sent, the one before (or after) the one edited now,
 * the last one at first. Undefined when there is none in that direction.
 */
export function messageToEdit(
  items: readonly ChatItem[],
  edited: string | undefined,
  step: 'older' | 'newer',
): string | undefined {
  const sent = items.flatMap(item => (item.kind === 'user' && item.state === 'sent' ? [item.id] : []));
  const at = edited === undefined ? sent.length : sent.indexOf(edited);
  if (at < 0) return sent.at(-1);
  return sent[step === 'older' ? at - 1 : at + 1];
}
