/** Reasons with which `session_start` and `session_shutdown` tell of a session that another replaces. */
const REPLACED = ['new', 'resume', 'fork'];

/** What else they tell of, which older dialects told by events of these names: once per load. */
export const ONCE: readonly string[] = ['startup', 'reload', 'quit'];

/** How today's pi tells what an event of an older dialect told. */
export interface ReplacingEvent {
  readonly event: string;
  /** Member of the event that says whether that is meant. */
  readonly member: 'reason' | 'messageType';
  /** Condition that holds when it is not, as code about the member's value. */
  readonly unless: (value: string) => string | undefined;
  /** Says in the converted code what the condition is for, where that is not plain. */
  readonly why?: string;
}

/** Why an event needs a guard: it comes more often than once per load. */
const WHY: Readonly<Record<string, string>> = {
  session_start: 'A start came once per load.',
  session_shutdown: 'An end came once per load.',
};

/**
 * The event that tells what an event told, where that has another name or comes more often (docs/dialects.md, C3, P1,
 * P6, P12). `toldApart`: the file listens to events that only a new session had.
 */
export function replacementOf(name: string, toldApart: boolean): ReplacingEvent | undefined {
  switch (name) {
    case 'session_start':
    case 'session_shutdown':
      return byReason(name, ONCE);
    case 'session_switch':
      return byReason('session_start', toldApart ? ['resume'] : ['new', 'resume']);
    case 'session_new':
      return byReason('session_start', ['new']);
    case 'session_branch':
    case 'session_fork':
      return byReason('session_start', ['fork']);
    case 'session_before_switch':
      return toldApart ? byReason(name, ['resume']) : undefined;
    case 'session_before_new':
      return byReason('session_before_switch', ['new']);
    case 'before_agent_start': {
      const unless = (value: string): string => `${value} === 'custom'`;
      return { event: name, member: 'messageType', unless, why: 'Messages that start a run were not told.' };
    }
    default:
      return undefined;
  }
}

/** As {@link replacementOf}, for what an event tells with some of its reasons. */
export function byReason(event: string, told: readonly string[]): ReplacingEvent {
  const why = told === ONCE ? WHY[event] : undefined;
  const unless = (value: string): string | undefined => unlessTold(value, told);
  return { event, member: 'reason', unless, ...(why === undefined ? {} : { why }) };
}

function unlessTold(value: string, told: readonly string[]): string | undefined {
  if (!told.some(reason => ONCE.includes(reason))) return told.map(reason => `${value} !== '${reason}'`).join(' && ');
  const others = REPLACED.filter(reason => !told.includes(reason)).map(reason => `'${reason}'`);
  if (others.length === 0) return undefined;
  return others.length === 1 ? `${value} === ${others.join('')}` : `[${others.join(', ')}].includes(${value})`;
}

/** The statement that leaves a handler for other reasons, by the code of the member's value; empty when all reasons count. */
export function guardOf({ unless, why }: ReplacingEvent, value: string): string {
  const condition = unless(value);
  if (condition === undefined) return '';
  return `if (${condition}) return undefined;${why === undefined ? '' : ` // ${why}`}`;
}
