import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Chat } from '../../chat/chat';
import type { Conversations } from '../../chat/window/conversations';
import type { HookHost } from '../../hook-run/host/host';
import { setContextKey } from '../context-keys';

/** Sets the context keys that complete steps of the "Get Started" tour. VS Code remembers which steps are done. */
export class TourSteps implements Disposable {
  private readonly store = new DisposableStore();
  private watched: Disposable | undefined;

  constructor(
    conversations: Pick<Conversations, 'active' | 'onDidChangeActive'>,
    private readonly hooks: Pick<HookHost, 'infos' | 'onDidChange' | 'records'>,
  ) {
    this.follow(conversations.active);
    this.store.add(conversations.onDidChangeActive(chat => this.follow(chat)));
    this.store.add(hooks.onDidChange(() => this.countHooks()));
    this.store.add(
      hooks.records.onDidDispatch(({ outcome }) => {
        if (outcome.type === 'blocked') setContextKey('hookline.hasBlocked', true);
      }),
    );
    this.countHooks();
  }

  dispose(): void {
    this.watched?.dispose();
    this.store.dispose();
  }

  private follow({ conversation }: Chat): void {
    this.watched?.dispose();
    this.watched = conversation.onDidHappen(event => {
      if (event.type === 'message_end' && event.message.role === 'assistant') setContextKey('hookline.asked', true);
    });
  }

  private countHooks(): void {
    setContextKey(
      'hookline.hasHook',
      this.hooks.infos().some(({ state }) => state.type === 'live'),
    );
  }
}
