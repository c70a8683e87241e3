import { defined } from '../../base/defined';

/** The reasons of `session_start` and `session_shutdown` when one session replaces another. */
const REPLACED = ['new', 'resume', 'fork'];

/** Their other reasons. Older dialects emitted these two events only for those, once per load. */
export const ONCE: readonly string[] = ['startup', 'reload', 'quit'];

/** How an event of an older dialect is replaced in today's pi. */
export interface ReplacingEvent {
  readonly event: string;
  /** The member of the event that shows whether it is the replaced case. */
  readonly member: 'reason' | 'messageType' | 'isError';
  /** Code for a condition about the member's value that is true in other cases; undefined when there are none. */
  readonly skipCondition: (value: string) => string | undefined;
  /** A comment for the converted code that explains the condition, where that is needed. */
  readonly why?: string;
}

/** Comments for guards of events that are now emitted more often than once per load. */
const WHY: Readonly<Record<string, string>> = {
  session_start: 'The start event used to occur once per load.',
  session_shutdown: 'The end event used to occur once per load.',
};

/**
 * How an event is replaced if it now has another name or is emitted more often (docs/dialects.md, C3, P1, P6, P12);
 * undefined for others. `hasSeparateNewEvents`: the file also listens to the separate events for a new session.
 */
export function replacementOf(name: string, hasSeparateNewEvents: boolean): ReplacingEvent | undefined {
  switch (name) {
    case 'session_start':
    case 'session_shutdown':
      return byReason(name, ONCE);
    case 'session_switch':
      return byReason('session_start', hasSeparateNewEvents ? ['resume'] : ['new', 'resume']);
    case 'session_new':
      return byReason('session_start', ['new']);
    case 'session_branch':
    case 'session_fork':
      return byReason('session_start', ['fork']);
    case 'session_before_switch':
      return hasSeparateNewEvents ? byReason(name, ['resume']) : undefined;
    case 'session_before_new':
      return byReason('session_before_switch', ['new']);
    case 'before_agent_start': {
      const skipCondition = (value: string): string => `${value} === 'custom'`;
      const why = 'This event used to leave out messages that start a run.';
      return { event: name, member: 'messageType', skipCondition, why };
    }
    default:
      return undefined;
  }
}

/** The replacement by `event`, if its reason is one of `reasons`. */
export function byReason(event: string, reasons: readonly string[]): ReplacingEvent {
  const why = reasons === ONCE ? WHY[event] : undefined;
  const skipCondition = (value: string): string | undefined => skipUnlessReason(value, reasons);
  return { event, member: 'reason', skipCondition, ...defined({ why }) };
}

function skipUnlessReason(value: string, reasons: readonly string[]): string | undefined {
  if (!reasons.some(reason => ONCE.includes(reason))) {
    return reasons.map(reason => `${value} !== '${reason}'`).join(' && ');
  }
  const others = REPLACED.filter(reason => !reasons.includes(reason)).map(reason => `'${reason}'`);
  if (others.length === 0) return undefined;
  return others.length === 1 ? `${value} === ${others.join('')}` : `[${others.join(', ')}].includes(${value})`;
}

/**
 * The statement that leaves a handler in other cases; '' when there are none. `value` is code for the member's value.
 */
export function guardOf({ skipCondition, why }: ReplacingEvent, value: string): string {
  const condition = skipCondition(value);
  if (condition === undefined) return '';
  return `if (${condition}) return undefined;${why === undefined ? '' : ` // ${why}`}`;
}
