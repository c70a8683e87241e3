import { answerOf, noAnswer, AnswerReader } from './answer';
import type { AnswerReducer, AnswerVerdict } from '../event-row';
import type { HookEventOf } from '../../hook-event';

type Cancellable = 'session_before_switch' | 'session_before_branch' | 'session_before_compact' | 'session_before_tree';

/**
 * Only the last answer counts. An answer with `cancel` ends the dispatch. `read` reads the other members of the result
 * from an answer.
 */
export function lastUnlessCancelled<T extends Cancellable>(
  event: HookEventOf<T>,
  read: (reading: AnswerReader) => object,
): AnswerReducer<T> {
  let result: object = { cancelled: false, ...read(new AnswerReader({})) };
  return {
    event,
    add(returned, hook): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      if (reading.flag('cancel')) {
        result = { ...read(new AnswerReader({})), cancelled: true, by: hook.path };
        return { outcome: { type: 'cancelled' }, stop: true };
      }
      result = { cancelled: false, ...read(reading) };
      return reading.verdict();
    },
    result: () => result as never,
  };
}

/** An object with this member, or an empty one if the value is undefined. */
export function withMember<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, V>>);
}
