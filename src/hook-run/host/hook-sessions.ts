import { withTimeout } from '../../base/async/wait';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookRunner } from '../dispatch/runner';
import type { LoadedHook } from '../../hook-contract/loaded-hook';
import type { HookConversations } from './hook-conversations';

/** How long the host waits for handlers, ms. */
export interface HostTimeouts {
  /** For handlers of the shutdown. */
  readonly farewell: number;
  /** For start handlers of hooks that a reload started. */
  readonly greeting: number;
}

/** Starts and ends sessions for hooks beside what conversations emit themselves: at the end, and around a reload. */
export class HookSessions {
  private readonly ended = new WeakSet<HookConversation>();
  /** Files that start again because a conversation moves to another session; it emits both events itself. */
  private readonly moving = new Map<HookConversation, ReadonlySet<string>>();

  constructor(
    private readonly runner: HookRunner,
    private readonly conversations: HookConversations,
    private readonly timeouts: HostTimeouts,
  ) {}

  /** Tells the hooks, once, that a conversation ends. */
  async farewell(conversation: HookConversation): Promise<void> {
    if (this.ended.has(conversation)) return;
    this.ended.add(conversation);
    const signal = AbortSignal.timeout(this.timeouts.farewell);
    await this.runner.emit({ type: 'session_shutdown', reason: 'quit' }, conversation, { signal });
  }

  /** The same for all open conversations. */
  async farewellToAll(): Promise<void> {
    await Promise.all(this.conversations.all.map(conversation => this.farewell(conversation)));
  }

  /** Runs a reload of files for which a conversation ended its session and will start the next one. */
  async whileMoving(
    conversation: HookConversation,
    paths: ReadonlySet<string>,
    reload: () => Promise<void>,
  ): Promise<void> {
    this.moving.set(conversation, paths);
    try {
      await reload();
    } finally {
      this.moving.delete(conversation);
    }
  }

  /**
   * Start events for hooks that came in while conversations run; at the first load the conversations send their own.
   */
  async greet(hooks: readonly LoadedHook[]): Promise<void> {
    const greeted = Promise.all(
      this.conversations.all.map(conversation =>
        this.runner.emitTo(
          hooks.filter(hook => !this.moves(conversation, hook)),
          { type: 'session_start', reason: 'reload' },
          conversation,
        ),
      ),
    );
    // A start handler that asks the user continues, but must not delay the next reload.
    await withTimeout(greeted, this.timeouts.greeting, () => undefined);
  }

  /** Ends the sessions of a hook that a reload replaces, and closes what it holds open. */
  async retire(hook: LoadedHook): Promise<void> {
    const signal = AbortSignal.timeout(this.timeouts.farewell);
    const event = { type: 'session_shutdown', reason: 'reload' } as const;
    const told = this.conversations.all.filter(conversation => !this.moves(conversation, hook));
    await Promise.all(told.map(conversation => this.runner.emitTo([hook], event, conversation, { signal })));
    await hook.identity.scope.release();
  }

  private moves(conversation: HookConversation, hook: LoadedHook): boolean {
    return this.moving.get(conversation)?.has(hook.path) === true;
  }
}
