import type { HookRuntime } from '../../conversation/hook-runtime';
import type { HookConversation } from '../../hooks/conversation-port';
import type { HookEvent, HookResult } from '../../hooks/events/hook-event';

/** The same hooks, which hear `session_start` only at startup and after a reload while `isOff` says so (D21). */
export function withoutStartOnSwitch(hooks: HookRuntime, isOff: () => boolean): HookRuntime {
  const emit = <E extends HookEvent>(
    event: E,
    conversation: HookConversation,
    options?: Parameters<HookRuntime['emit']>[2],
  ): Promise<HookResult<E['type']>> => {
    const isRepeat = event.type === 'session_start' && event.reason !== 'startup' && event.reason !== 'reload';
    // The event has no result, so not sending it resolves as sending it does.
    if (isRepeat && isOff()) return Promise.resolve(undefined as HookResult<E['type']>);
    return hooks.emit(event, conversation, options);
  };
  return Object.create(hooks, { emit: { value: emit, enumerable: true } }) as HookRuntime;
}
