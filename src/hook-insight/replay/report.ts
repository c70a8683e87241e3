import type { LogEntry } from '../recording/log-entry';
import { outcomeText } from '../recording/outcome-text';

/** What one handler made of an event: as recorded, or now. Plain data, redacted. */
export type HandlerVerdict = Pick<LogEntry, 'outcome' | 'returned' | 'changes'>;

/**
 * `same`: the verdict is what it was. `changed`: it is another. `unsure`: it is another, but the replay could not give the
 * handler all it had then. `skipped`: the event could not be repeated.
 */
export type ReplayStatus = 'same' | 'changed' | 'unsure' | 'skipped';

/** One handler of one event, before and now. */
export interface ReplayedHandler {
  /** Absolute path of the file as it is now. */
  readonly hookPath: string;
  readonly registeredAs: string;
  readonly nth: number;
  /** Where it is registered now. */
  readonly file: string;
  readonly line?: number;
  readonly status: Exclude<ReplayStatus, 'skipped'>;
  /** Absent: it was not asked then. */
  readonly before?: HandlerVerdict;
  /** Absent: it is not asked now. */
  readonly after?: HandlerVerdict;
  /** What keeps the comparison from being exact, for people. */
  readonly notes: readonly string[];
}

/** One event of the recorded run. */
export interface ReplayedDispatch {
  /** Run and number of its first record. */
  readonly run: string;
  readonly seq: number;
  /** ms since the epoch, of the recording */
  readonly at: number;
  readonly event: string;
  readonly tool?: string;
  /** What the event was about, on one line. */
  readonly brief: string;
  readonly status: ReplayStatus;
  /** Why it was skipped. */
  readonly why?: string;
  readonly handlers: readonly ReplayedHandler[];
  /** What hooks wanted done meanwhile, and was not; absent: nothing. */
  readonly withheld?: readonly string[];
}

export interface ReplayReport {
  readonly dispatches: readonly ReplayedDispatch[];
  readonly counts: { readonly [S in ReplayStatus]: number };
  /** Hooks of the recording that are not among those that were asked now. */
  readonly missing: readonly string[];
}

/** The verdict of all handlers together, in a few words. */
export function overallText(handlers: readonly ReplayedHandler[], when: 'before' | 'after'): string {
  const outcomes = handlers.flatMap(handler => handler[when]?.outcome ?? []);
  const deciding = outcomes.find(({ type }) => type === 'blocked' || type === 'cancelled' || type === 'handled');
  if (deciding !== undefined) return outcomeText(deciding);
  const telling = outcomes.filter(({ type }) => type !== 'nothing');
  if (telling.length > 0) return telling.map(outcome => outcomeText(outcome)).join('; ');
  const [first] = outcomes;
  return first === undefined ? 'not asked' : outcomeText(first);
}

/** Counts per status. */
export function statusCounts(dispatches: readonly ReplayedDispatch[]): ReplayReport['counts'] {
  const counts = { same: 0, changed: 0, unsure: 0, skipped: 0 };
  for (const { status } of dispatches) counts[status] += 1;
  return counts;
}
