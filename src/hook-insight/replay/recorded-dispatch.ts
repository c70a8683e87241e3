import type { Change, LogEntry } from '../recording/log-entry';
import { isRecord } from '../../base/json/is-record';

/** One event of a recorded run, with the entries of the handlers that got it, in order. */
export interface RecordedDispatch {
  /** Canonical event, or `command:<name>`. */
  readonly event: string;
  /** At least one. */
  readonly entries: readonly [LogEntry, ...LogEntry[]];
}

/**
 * Handlers of one dispatch are called directly one after the other. If the pause between two is longer than this, in
 * ms, they are of different events. It is not 0, because times in the log are rounded.
 */
const LONGEST_PAUSE_MS = 250;

interface Open {
  readonly entries: [LogEntry, ...LogEntry[]];
  readonly handlers: Set<string>;
  endedAt: number;
}

/**
 * Groups the entries of a log by dispatch, in order of their start. Entries do not name their dispatch: they belong
 * together when conversation, event and tool call are the same, each handler was called once, and they follow each
 * other without a pause.
 */
export function dispatchesIn(entries: readonly LogEntry[]): readonly RecordedDispatch[] {
  const all: Open[] = [];
  const open = new Map<string, Open>();
  for (const entry of entries) {
    const key = [entry.run, entry.conversation, entry.event, entry.toolCallId ?? ''].join('\n');
    const handler = handlerKey(entry);
    const last = open.get(key);
    const endedAt = entry.at + entry.ms;
    if (last !== undefined && !last.handlers.has(handler) && isNext(last, entry)) {
      last.entries.push(entry);
      last.handlers.add(handler);
      last.endedAt = endedAt;
      continue;
    }
    const fresh: Open = { entries: [entry], handlers: new Set([handler]), endedAt };
    open.set(key, fresh);
    all.push(fresh);
  }
  return all.map(({ entries: own }) => ({ event: own[0].event, entries: own }));
}

function isNext(last: Open, entry: LogEntry): boolean {
  if (last.entries.at(-1)?.outcome.type === 'blocked') return false;
  return entry.toolCallId !== undefined || Math.abs(entry.at - last.endedAt) <= LONGEST_PAUSE_MS;
}

/** Identifies a handler or command across runs. */
export function handlerKey({ hook, registeredAs, nth }: Pick<LogEntry, 'hook' | 'registeredAs' | 'nth'>): string {
  return `${hook}\n${registeredAs}\n${nth}`;
}

/** The payload as it was before the handler of the entry changed it in place. */
export function payloadBefore(entry: LogEntry): Readonly<Record<string, unknown>> {
  const payload = isRecord(entry.payload) ? entry.payload : {};
  const input: Change | undefined = entry.changes?.find(({ member }) => member === 'input');
  return input === undefined || entry.event !== 'tool_call' ? payload : { ...payload, input: input.before };
}
