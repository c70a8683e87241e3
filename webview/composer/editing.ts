import * as l10n from '@vscode/l10n';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import type { EditedMessage, WebviewToHost } from '../../src/protocol/messages';
import { html, nothing, type TemplateResult } from 'lit';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';
import { singleLine } from '../../src/base/text/single-line';
import { visibleText } from '../../src/base/text/visible-text';

/** Remembers which sent message the user edits in the composer, and handles the keys for it. */
export class Editing {
  private edited: EditedMessage | undefined;
  /** Id of the message that the keys chose last. */
  private walkedTo: string | undefined;

  /** Whether sending also restores the files to their state before the edited message. */
  restoresFiles = false;

  get message(): EditedMessage | undefined {
    return this.edited;
  }

  set(edited: EditedMessage | undefined): void {
    if (edited?.entry !== this.edited?.entry) this.restoresFiles = false;
    this.edited = edited;
    if (edited === undefined) this.walkedTo = undefined;
  }

  /** F2 edits the previous sent message, Shift+F2 the next, and Escape cancels editing. Undefined for all other keys. */
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

export interface EditBanner {
  readonly message: EditedMessage | undefined;
  readonly restoresFiles: boolean;
  readonly restore: (wanted: boolean) => void;
}

/** Shows which message is edited, with a button that cancels editing. */
export function editBanner({ message: editing, ...on }: EditBanner): TemplateResult | typeof nothing {
  if (editing === undefined) return nothing;
  const was = visibleText(singleLine(editing.was));
  const cancel = l10n.t('Cancel editing (Escape)');
  return html`<p class="edit-banner" data-hookline="editing" role="status">
    ${icon('edit')}
    <span class="clip" title=${was}>${l10n.t('You are editing “{0}”', was)}</span>
    ${restoreView(editing.files ?? 0, on)}
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

/** A checkbox to restore the files that the agent changed since the edited message. It is off by default. */
function restoreView(
  files: number,
  { restoresFiles, restore }: Omit<EditBanner, 'message'>,
): TemplateResult | typeof nothing {
  if (files === 0) return nothing;
  const changed = (event: Event): void => {
    if (event.currentTarget instanceof HTMLInputElement) restore(event.currentTarget.checked);
  };
  return html`<label class="restore-files">
    <input type="checkbox" .checked=${restoresFiles} @change=${changed} />
    ${files === 1 ? l10n.t('Restore 1 file too') : l10n.t('Restore {0} files too', files)}
  </label>`;
}

/**
 * The id of the next message to edit: the sent message before or after the edited one, or the last one when none is edited.
 * Undefined when there is none in that direction.
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
