import * as l10n from '@vscode/l10n';
import { isSessionEntry, type StoredEntry } from '../../agent/session/entry';
import type { NoticeItem } from '../../protocol/items/chat-item';
import type { ChatModel } from '../model/chat-model';

/** Says in the chat what it cost to keep the provider's cache warm; costs in a row are one notice. */
export class CacheNotices {
  /** The last notice, and what it says, in US dollars. */
  private warmed: { readonly id: string; readonly cost: number; readonly note: unknown } | undefined;

  /** `isWanted`: the user wants these notices. */
  constructor(
    private readonly chat: ChatModel,
    private readonly isWanted: () => boolean,
  ) {}

  /** To be called with each entry that was added to the session. */
  addEntry(entry: StoredEntry): void {
    if (!this.isWanted() || !isSessionEntry(entry) || entry.type !== 'usage' || entry.kind !== 'cache_warm') return;
    const note = (entry as { readonly note?: unknown }).note;
    const last = this.warmed;
    const known = last?.id === this.chat.items.at(-1)?.id && last?.note === note ? last : undefined;
    const cost = (known?.cost ?? 0) + (entry.usage.cost?.total ?? 0);
    const id = known?.id ?? this.chat.nextId('notice');
    this.warmed = { id, cost, note };
    const text = l10n.t('The prompt cache was kept warm: ${0}', cost.toFixed(4));
    const item: NoticeItem = { kind: 'notice', id, level: 'info', text };
    this.chat.apply({ type: 'item', item });
  }
}
