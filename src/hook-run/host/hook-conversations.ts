import { AsyncLocalStorage } from 'node:async_hooks';
import { toDisposable, type Disposable } from '../../base/disposable';
import type { HookConversation } from '../../hook-contract/conversation-port';

/** The open conversations of this window, and which of them a call of a hook refers to. */
export class HookConversations {
  private readonly attached = new Set<HookConversation>();
  private readonly gone = new WeakSet<HookConversation>();
  private readonly current = new AsyncLocalStorage<HookConversation>();
  private activeOne: HookConversation | undefined;
  /** Pending calls that began while only one conversation was open: they are not marked with their conversation. */
  private unmarked: { readonly conversation: HookConversation; calls: number } | undefined;

  /** In order of opening. */
  get all(): readonly HookConversation[] {
    return [...this.attached];
  }

  attach(conversation: HookConversation): Disposable {
    this.attached.add(conversation);
    this.activeOne ??= conversation;
    return toDisposable(() => {
      this.attached.delete(conversation);
      this.gone.add(conversation);
      if (this.activeOne === conversation) this.activeOne = this.all.at(-1);
    });
  }

  setActive(conversation: HookConversation): void {
    this.activeOne = conversation;
  }

  /** See `HookServices.conversationFor`. */
  meantBy(handed?: HookConversation): HookConversation | undefined {
    if (handed !== undefined && !this.gone.has(handed)) return handed;
    const current = this.current.getStore() ?? this.unmarkedOne;
    return current !== undefined && !this.gone.has(current) ? current : this.activeOne;
  }

  /** Calls in `code` refer to this conversation, which need not be open. */
  alone<V>(conversation: HookConversation, code: () => V): V {
    return this.current.run(conversation, code);
  }

  /** Late calls in `code` refer to this conversation; nearly free while no other one is open. */
  within<V>(conversation: HookConversation | undefined, code: () => V): V {
    if (conversation === undefined) return code();
    if (this.attached.size > (this.attached.has(conversation) ? 1 : 0)) return this.current.run(conversation, code);
    const result = code();
    if (result instanceof Promise) this.noteUnmarked(conversation, result);
    return result;
  }

  private get unmarkedOne(): HookConversation | undefined {
    return this.unmarked?.conversation;
  }

  /** A second conversation may open before the call is over; the call still refers to the first. */
  private noteUnmarked(conversation: HookConversation, call: Promise<unknown>): void {
    if (this.unmarked?.conversation !== conversation) this.unmarked = { conversation, calls: 0 };
    const { unmarked } = this;
    unmarked.calls += 1;
    const over = (): void => {
      unmarked.calls -= 1;
      if (unmarked.calls === 0 && this.unmarked === unmarked) this.unmarked = undefined;
    };
    call.then(over, over);
  }
}
