import type { HookConversation } from '../../conversation-port';
import type { HookEventOf, HookEventType } from '../../events/hook-event';
import type { LoadedHook } from '../../loaded-hook';

/** What a payload may draw on beside the event. */
export interface ShapeSource {
  readonly conversation: HookConversation | undefined;
  readonly hook: LoadedHook;
}

/** Builds what a handler gets from the canonical event. */
export type Shape<T extends HookEventType = HookEventType> = (event: HookEventOf<T>, source: ShapeSource) => object;
