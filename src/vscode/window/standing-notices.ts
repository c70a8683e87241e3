import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Conversation } from '../../conversation/conversation';
import type { Conversations } from '../../conversation/conversations';
import type { NoticeItem } from '../../protocol/chat-item';

/** A notice that holds for the window, not for a moment of one session. */
export type StandingNotice = Omit<NoticeItem, 'kind' | 'id'>;

/** Notices that stay in the chat, whatever session it shows, until what they say is over. */
export class StandingNotices implements Disposable {
  private notices: ReadonlyMap<string, StandingNotice> = new Map();
  private readonly store = new DisposableStore();
  private watched = new DisposableStore();
  private followed: Conversation | undefined;

  constructor(private readonly conversations: Conversations) {
    this.follow(conversations.active);
    this.store.add(conversations.onDidChangeActive(conversation => this.follow(conversation)));
  }

  /** Replaces all notices of the window; those that are the same stay where they are in the chat. */
  show(notices: ReadonlyMap<string, StandingNotice>): void {
    const { chat } = this.conversations.active;
    for (const key of this.notices.keys()) {
      if (!notices.has(key)) chat.apply({ type: 'remove', id: idOf(key) });
    }
    for (const [key, notice] of notices) {
      const isNew = JSON.stringify(this.notices.get(key)) !== JSON.stringify(notice);
      if (isNew) put(this.conversations.active, key, notice);
    }
    this.notices = notices;
  }

  dispose(): void {
    this.watched.dispose();
    this.store.dispose();
  }

  private follow(conversation: Conversation): void {
    this.watched.dispose();
    const { followed } = this;
    if (followed !== undefined && followed !== conversation) {
      for (const key of this.notices.keys()) followed.chat.apply({ type: 'remove', id: idOf(key) });
    }
    this.followed = conversation;
    this.watched = new DisposableStore();
    const putAll = (): void => {
      for (const [key, notice] of this.notices) put(conversation, key, notice);
    };
    // Another session was drawn, which took everything else off the chat.
    this.watched.add(conversation.drawing.onDidRedraw(putAll));
    putAll();
  }
}

function put(conversation: Conversation, key: string, notice: StandingNotice): void {
  conversation.chat.apply({ type: 'item', item: { kind: 'notice', id: idOf(key), ...notice } });
}

function idOf(key: string): string {
  return `window:${key}`;
}
