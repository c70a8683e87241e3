import type { ChatItem } from '../../protocol/chat-item';

/** The item, offering nothing that could be done about it. */
export function withoutOffer(item: ChatItem): ChatItem {
  if (item.kind === 'assistant' && (item.help ?? []).length > 0) return { ...item, help: [] };
  if (item.kind === 'notice' && item.canContinue === true) return { ...item, canContinue: false };
  return item;
}

/** What can be done about a failed or stopped answer is offered at the end of a conversation only. */
export function withOffersAtEnd(items: readonly ChatItem[]): readonly ChatItem[] {
  const last = items.findLastIndex(({ kind }) => kind === 'assistant' || kind === 'user');
  return items.map((item, index) => (index < last ? withoutOffer(item) : item));
}
