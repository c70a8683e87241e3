import * as l10n from '@vscode/l10n';
import type { LogEntry } from '../recording/log-entry';
import { outcomeText } from '../recording/outcome-text';

/** What one handler decided about an event, in the recording or now. Plain data, redacted. */
export type HandlerVerdict = Pick<LogEntry, 'outcome' | 'returned' | 'changes'>;

/**
 * `same`: the verdict is the recorded one. `changed`: it is different. `unsure`: it is different, but the replay could
 * not give the handler everything that it had then. `skipped`: the event could not be repeated.
 */
export type ReplayStatus = 'same' | 'changed' | 'unsure' | 'skipped';

/** One handler of one event, in the recording and now. */
export interface ReplayedHandler {
  /** Absolute path of the file as it is now. */
  readonly hookPath: string;
  readonly registeredAs: string;
  readonly nth: number;
  /** Where the handler is registered now. */
  readonly file: string;
  readonly line?: number;
  readonly status: Exclude<ReplayStatus, 'skipped'>;
  /** Absent when the handler was not called in the recording. */
  readonly before?: HandlerVerdict;
  /** Absent when the handler is not called now. */
  readonly after?: HandlerVerdict;
  /** Why the comparison is not exact, in words for the user. */
  readonly notes: readonly string[];
}

/** One event of the recorded run. */
export interface ReplayedDispatch {
  /** `run` and `seq` of its first entry. */
  readonly run: string;
  readonly seq: number;
  /** When the event was recorded, in ms since 1970. */
  readonly at: number;
  readonly event: string;
  readonly tool?: string;
  /** What the event was about, on one line. */
  readonly brief: string;
  readonly status: ReplayStatus;
  /** Why the event was skipped. */
  readonly why?: string;
  readonly handlers: readonly ReplayedHandler[];
  /** The actions that hooks called and that were not done; absent when there were none. */
  readonly withheld?: readonly string[];
}

export interface ReplayReport {
  readonly dispatches: readonly ReplayedDispatch[];
  readonly counts: { readonly [S in ReplayStatus]: number };
  /** Paths of hooks that are in the recording, but are not loaded now. */
  readonly missing: readonly string[];
}

/** Says in a few words what all handlers together decided. */
export function overallText(handlers: readonly ReplayedHandler[], when: 'before' | 'after'): string {
  const outcomes = handlers.flatMap(handler => handler[when]?.outcome ?? []);
  const deciding = outcomes.find(({ type }) => type === 'blocked' || type === 'cancelled' || type === 'handled');
  if (deciding !== undefined) return outcomeText(deciding);
  const telling = outcomes.filter(({ type }) => type !== 'nothing');
  if (telling.length > 0) return telling.map(outcomeText).join('; ');
  const [first] = outcomes;
  return first === undefined ? l10n.t('not asked') : outcomeText(first);
}

export function statusCounts(dispatches: readonly ReplayedDispatch[]): ReplayReport['counts'] {
  const counts = { same: 0, changed: 0, unsure: 0, skipped: 0 };
  for (const { status } of dispatches) counts[status] += 1;
  return counts;
}
