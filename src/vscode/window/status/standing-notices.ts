import { DisposableStore, type Disposable } from '../../../base/disposable';
import type { Chat } from '../../../chat/chat';
import type { Conversations } from '../../../chat/window/conversations';
import type { NoticeItem } from '../../../protocol/items/chat-item';

/** A notice about the window, such as a hook that fails to load. It does not belong to a session. */
export type StandingNotice = Omit<NoticeItem, 'kind' | 'id'>;

/** Shows notices in every session that the chat shows, until the state that they describe ends. */
export class StandingNotices implements Disposable {
  private notices: ReadonlyMap<string, StandingNotice> = new Map();
  private readonly store = new DisposableStore();
  private watched = new DisposableStore();
  private followed: Chat | undefined;

  constructor(private readonly conversations: Conversations) {
    this.follow(conversations.active);
    this.store.add(conversations.onDidChangeActive(chat => this.follow(chat)));
  }

  /** Replaces all notices of the window. Notices that did not change keep their place in the chat. */
  show(notices: ReadonlyMap<string, StandingNotice>): void {
    const { model } = this.conversations.active;
    for (const key of this.notices.keys()) {
      if (!notices.has(key)) model.apply({ type: 'remove', id: idOf(key) });
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

  private follow(chat: Chat): void {
    this.watched.dispose();
    const { followed } = this;
    if (followed !== undefined && followed !== chat) {
      for (const key of this.notices.keys()) followed.model.apply({ type: 'remove', id: idOf(key) });
    }
    this.followed = chat;
    this.watched = new DisposableStore();
    const putAll = (): void => {
      for (const [key, notice] of this.notices) put(chat, key, notice);
    };
    // Drawing another session removes everything from the chat, notices too.
    this.watched.add(chat.onDidRedraw(putAll));
    putAll();
  }
}

function put({ model }: Chat, key: string, notice: StandingNotice): void {
  model.apply({ type: 'item', item: { kind: 'notice', id: idOf(key), ...notice } });
}

function idOf(key: string): string {
  return `window:${key}`;
}
