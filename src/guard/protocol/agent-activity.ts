import { JsonLinesFile, type ReadLines } from '../../base/json/json-lines-file';
import { parse } from '../../base/json/schema';
import { GuardRecordSchema, TOOL_EVENT, type AgentId, type GuardRecord } from './agent-call';
import type { GuardPlace } from './place';

/** What an agent did, as far as the guard log goes back. */
export interface AgentActivity {
  /** The last call of a tool; undefined: none is in the log. */
  readonly last: GuardRecord | undefined;
  /** When it last told us of an event, ms since 1970; undefined: the log has none. */
  readonly toldAt: number | undefined;
  /** Calls of tools on the day of `now`, in the time zone of the person. */
  readonly calls: number;
  /** How many of them were blocked. */
  readonly blocks: number;
  /** The last file by which it is guarded that it changed and that was put back; `at` in ms since 1970. */
  readonly undone: { readonly at: number; readonly file: string } | undefined;
}

/** The records of the guard log, oldest first; empty when there is no log. Rejects when the disk does. */
export function readGuardLog({ log }: Pick<GuardPlace, 'log'>): Promise<ReadLines<GuardRecord>> {
  return new JsonLinesFile(log, guardRecordIn).read();
}

/** A line of the guard log; undefined when it is none. */
export function guardRecordIn(value: unknown): GuardRecord | undefined {
  const record = parse(GuardRecordSchema, value);
  return record.ok ? record.value : undefined;
}

/** The activity of an agent by the records of the log, oldest first; `now` in ms since 1970. */
export function activityOf(records: readonly GuardRecord[], agent: AgentId, now: number): AgentActivity {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const calls = records.filter(record => record.agent === agent && isCall(record));
  const today = calls.filter(({ at }) => at >= midnight);
  const told = records.findLast(
    record => record.agent === agent && record.undone === undefined && record.event !== TOOL_EVENT,
  );
  const undone = records.findLast(record => record.agent === agent && record.undone !== undefined);
  return {
    last: calls.at(-1),
    toldAt: told?.at,
    calls: today.length,
    blocks: today.filter(({ verdict }) => verdict === 'blocked').length,
    undone: undone?.undone === undefined ? undefined : { at: undone.at, file: undone.undone },
  };
}

/** Sessions, prompts, results and what was put back have records, too. All agents name the event before a call alike, but for its first letter. */
function isCall({ event, tool, undone }: GuardRecord): boolean {
  return tool !== undefined && undone === undefined && (event.toLowerCase() === 'pretooluse' || event === TOOL_EVENT);
}
