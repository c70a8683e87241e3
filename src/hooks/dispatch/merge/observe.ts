import type { HookEventOf, HookEventType, HookResult } from '../../events/hook-event';
import { answerOf } from './answers';
import { NOTHING, type Merging, type Verdict } from './merging';

const IGNORED: Verdict = { outcome: { type: 'ignored', why: 'nothing can be returned for this event' } };

/** For events that only inform: answers are ignored. */
export function observe<T extends HookEventType>(event: HookEventOf<T>): Merging<T> {
  return {
    event,
    take: answer => (answerOf(answer) === undefined ? NOTHING : IGNORED),
    result: () => undefined as HookResult<T>,
  };
}
