import type { ChatItem } from '../../protocol/chat-item';

/** The item without buttons. */
export function withoutOffer(item: ChatItem): ChatItem {
  if (item.kind === 'assistant' && (item.help ?? []).length > 0) return { ...item, help: [] };
  if (item.kind === 'notice' && item.canContinue === true) return { ...item, canContinue: false };
  return item;
}

/** Only the last failed or stopped answer of a conversation has buttons. */
export function withOffersAtEnd(items: readonly ChatItem[]): readonly ChatItem[] {
  const last = items.findLastIndex(({ kind }) => kind === 'assistant' || kind === 'user');
  return items.map((item, index) => (index < last ? withoutOffer(item) : item));
}
