import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import { answeredByTool, type AnsweredByTool } from './answered';
import type { Card } from './card';
import { gateCard } from './gate-card';
import type { ItemContext } from './item-context';
import { assistantCard, userCard } from './message';
import { bashCard, customCard, entryCard, noticeCard } from './notice';
import { toolCard } from './tool-card';

type Kind = ChatItem['kind'];
type ItemOf<K extends Kind> = Extract<ChatItem, { readonly kind: K }>;

const CARDS: { readonly [K in Kind]: Card<ItemOf<K>> } = {
  user: userCard,
  assistant: assistantCard,
  tool: toolCard,
  notice: noticeCard,
  custom: customCard,
  entry: entryCard,
  bash: bashCard,
  gate: gateCard,
};

/** What the page does with an item of this kind. */
function cardOf<I extends ChatItem>({ kind }: I): Card<I> {
  return CARDS[kind] as unknown as Card<I>; // The compiler does not see that kind and card belong together.
}

/** The content of a card. A card that cannot be drawn shows the error, so that the other cards are still drawn. */
export function itemView(item: ChatItem, context: ItemContext, named: boolean): TemplateResult {
  try {
    return cardOf(item).view(item, context, named);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return html`<p class="problem">
      ${l10n.t('This entry ({0} {1}) could not be shown: {2}', item.kind, item.id, reason)}
    </p>`;
  }
}

/** The cards that the conversation shows, and the questions that are shown in a tool card instead. */
export interface ShownItems {
  readonly list: readonly ChatItem[];
  readonly answered: AnsweredByTool;
}

/** Finds the cards to show. When all items are shown, `list` is `items` itself. */
export function shownItems(items: readonly ChatItem[]): ShownItems {
  const answered = answeredByTool(items);
  const inCards = new Set([...answered.values()].flat());
  const stands = (item: ChatItem): boolean => isShown(item) && !(item.kind === 'gate' && inCards.has(item));
  return { list: items.every(stands) ? items : items.filter(stands), answered };
}

function isShown(item: ChatItem): boolean {
  return cardOf(item).isShown?.(item) !== false;
}

/** Whether the commands for the next and the previous message stop at the item. */
export function isMessage(item: ChatItem): boolean {
  return cardOf(item).isMessage?.(item) === true;
}

/** The attributes of an item's element. */
export function itemAttributes(item: ChatItem): Readonly<Record<string, string>> {
  const { id, kind } = item;
  const { hasMenu } = CARDS[kind];
  return {
    'data-item-id': id,
    'data-kind': kind,
    class: `item item-${kind}`,
    ...(hasMenu && { 'data-vscode-context': JSON.stringify({ webviewSection: 'message', itemId: id }) }),
    ...cardOf(item).attributes(item),
  };
}

/** See {@link Card.height}. */
export function estimatedHeight(item: ChatItem): number {
  return cardOf(item).height(item);
}

/** What a screen reader says about an item that is new or has changed. */
export function spokenOf(item: ChatItem, before: ChatItem | undefined): readonly string[] {
  const same = before?.kind === item.kind ? before : undefined;
  return cardOf(item).spoken?.(item, same) ?? [];
}
