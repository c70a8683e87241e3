import { withTimeout } from '../../base/wait';
import type { HookConversation } from '../conversation-port';
import type { HookRunner } from '../dispatch/runner';
import type { LoadedHook } from '../loaded-hook';
import type { HookConversations } from './hook-conversations';

/** How long the host waits for handlers, ms. */
export interface HostTimeouts {
  /** For handlers of the shutdown: VS Code gives an extension five seconds. */
  readonly farewell: number;
  /** For start handlers of hooks that a reload started. */
  readonly greeting: number;
}

/** Starts and ends sessions for hooks beside what conversations emit themselves: at the end, and around a reload. */
export class HookSessions {
  private readonly ended = new WeakSet<HookConversation>();

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

  /**
   * Start events for hooks that came in while conversations run; at the first load the conversations send their own.
   */
  async greet(hooks: readonly LoadedHook[]): Promise<void> {
    const greeted = Promise.all(
      this.conversations.all.map(conversation =>
        this.runner.emitTo(hooks, { type: 'session_start', reason: 'reload' }, conversation),
      ),
    );
    // A start handler that asks the user continues, but must not delay the next reload.
    await withTimeout(greeted, this.timeouts.greeting, () => undefined);
  }

  /** Ends the sessions of a hook that a reload replaces, and closes what it holds open. */
  async retire(hook: LoadedHook): Promise<void> {
    const signal = AbortSignal.timeout(this.timeouts.farewell);
    await Promise.all(
      this.conversations.all.map(conversation =>
        this.runner.emitTo([hook], { type: 'session_shutdown', reason: 'reload' }, conversation, { signal }),
      ),
    );
    await hook.identity.scope.release();
  }
}
