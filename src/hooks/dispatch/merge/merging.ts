import type { HookConversation } from '../../conversation-port';
import type { HookEventOf, HookEventType, HookResult } from '../../events/hook-event';
import type { LoadedHook } from '../../loaded-hook';
import type { DispatchOutcome } from '../record';

/** What one handler's answer came to. */
export interface Verdict {
  readonly outcome: DispatchOutcome;
  /** No further handler is called. */
  readonly stop?: boolean;
  /** Wrong shapes in the answer, told with hook and event. */
  readonly problems?: readonly string[];
}

/**
 * The answers of one dispatch, folded together in order. Holds no timers and calls no hook code but getters of
 * answers; the runner guards `take` for those.
 */
export interface Merging<T extends HookEventType> {
  /** The event as the next handler is to see it. */
  readonly event: HookEventOf<T>;
  /** Replaces the delivery's own payload, for events whose payload is part of the merging. */
  payload?(hook: LoadedHook, registeredAs: string): object;
  /** Folds in what a handler returned; `payload` is what it got. */
  take(answer: unknown, hook: LoadedHook, payload: object): Verdict;
  /** The handler threw or was late: nothing of what it may still do counts. */
  abandon?(payload: object): void;
  result(): HookResult<T>;
}

/** Starts the merging of one dispatch. */
export type Merge<T extends HookEventType> = (
  event: HookEventOf<T>,
  conversation: HookConversation | undefined,
) => Merging<T>;

export const NOTHING: Verdict = { outcome: { type: 'nothing' } };
