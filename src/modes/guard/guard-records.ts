import { JsonLinesFile, type ReadLines } from '../../base/json/json-lines-file';
import { parse } from '../../base/json/schema';
import { GuardRecordSchema, type AgentId, type GuardRecord } from '../../guard/protocol/agent-call';
import type { GuardPlace } from '../../guard/protocol/place';

/** The guarded calls in the log, oldest first. No host is needed. */
export function readRecords({ log }: Pick<GuardPlace, 'log'>): Promise<ReadLines<GuardRecord>> {
  return new JsonLinesFile(log, recordOf).read();
}

function recordOf(value: unknown): GuardRecord | undefined {
  const record = parse(GuardRecordSchema, value);
  return record.ok ? record.value : undefined;
}

/** What an agent did, as far as the log goes back. */
export interface AgentActivity {
  /** ms since 1970; undefined: no call is in the log. */
  readonly lastCallAt: number | undefined;
  /** On the day of `now`, in the time zone of the person. */
  readonly callsToday: number;
  readonly blockedToday: number;
}

/** The activity of an agent by the records of the log, oldest first. */
export function activityOf(records: readonly GuardRecord[], agent: AgentId, now = new Date()): AgentActivity {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const own = records.filter(record => record.agent === agent);
  const today = own.filter(({ at }) => at >= midnight);
  return {
    lastCallAt: own.at(-1)?.at,
    callsToday: today.length,
    blockedToday: today.filter(({ verdict }) => verdict === 'blocked').length,
  };
}
