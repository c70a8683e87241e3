import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChatItem, UserItem } from '../../src/protocol/items/chat-item';
import { emits } from '../controls/emit';
import { icon } from '../controls/controls';
import { visibleText } from '../../src/base/text/visible-text';

/** How many characters of a waiting message are shown. */
const SHOWN = 300;

/** Messages that wait for the run, oldest first. */
export function queuedItems(items: readonly ChatItem[]): readonly UserItem[] {
  return items.filter((item): item is UserItem => item.kind === 'user' && item.state !== 'sent');
}

/** The list of waiting messages, with buttons to edit or remove a message and to change when it is sent. */
export function queueView(queued: readonly UserItem[]): TemplateResult | typeof nothing {
  if (queued.length === 0) return nothing;
  return html`<ul class="queue" aria-label=${l10n.t('Waiting messages')} data-hookline="queue">
    ${queued.map((item, index) => lineView(item, index + 1))}
  </ul>`;
}

function lineView(item: UserItem, place: number): TemplateResult {
  const { id, text, images, attached = [] } = item;
  const steers = item.state === 'steer';
  const what = steers ? l10n.t('Sent at the next step') : l10n.t('Sent after the run');
  const other = steers ? 'followUp' : 'steer';
  const more = images.length + attached.length;
  return html`<li class="queued" data-item-id=${id} data-state=${item.state}>
    <span class="queued-when" title=${what}>
      ${icon(steers ? 'arrow-right' : 'list-ordered')}
      <span class="queue-word" aria-hidden="true">${steers ? l10n.t('Steer') : l10n.t('Queue')}</span>
      <span class="sr-only">${what}:</span>
    </span>
    <span class="queued-text">${visibleText(text.slice(0, SHOWN))}</span>
    ${more > 0 ? attachedCount(more) : nothing}
    ${button(
      steers ? 'list-ordered' : 'arrow-right',
      steers
        ? l10n.t('Send message {0} after the run instead', place)
        : l10n.t('Steer with message {0} instead', place),
      { type: 'deliverQueued', id, delivery: other },
    )}
    ${button('edit', l10n.t('Edit waiting message {0}', place), { type: 'editQueued', id })}
    ${button('close', l10n.t('Remove waiting message {0}', place), { type: 'removeQueued', id })}
  </li>`;
}

function attachedCount(count: number): TemplateResult {
  const words = l10n.t('+{0} attached', count);
  return html`<span class="queued-when" title=${words}>
    ${icon('attach')}<span aria-hidden="true">${count}</span><span class="sr-only">${words}</span>
  </span>`;
}

function button(name: string, label: string, message: Parameters<typeof emits>[0]): TemplateResult {
  return html`<button type="button" class="icon-button" aria-label=${label} title=${label} @click=${emits(message)}>
    ${icon(name)}
  </button>`;
}
