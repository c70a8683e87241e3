import type { Change, LogEntry } from '../recording/log-entry';
import { isRecord } from '../../base/json/is-record';

/** One event of a recorded run, and what each handler that got it made of it; in order. */
export interface RecordedDispatch {
  /** Canonical event, or `command:<name>`. */
  readonly event: string;
  /** At least one. */
  readonly entries: readonly [LogEntry, ...LogEntry[]];
}

/**
 * Handlers of one dispatch are called one directly after the other: a longer pause between the end of one and the start
 * of the next means another event, ms. Times in the log are rounded.
 */
const LONGEST_PAUSE_MS = 250;

interface Open {
  readonly entries: [LogEntry, ...LogEntry[]];
  readonly handlers: Set<string>;
  endedAt: number;
}

/**
 * Puts the entries of a log together to the dispatches that they are from, in order of their start. A log names no
 * dispatches: its entries belong together when conversation, event and tool call are the same, each handler was called
 * once, and they follow each other without a pause.
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

/** Names a handler or command across runs. */
export function handlerKey({ hook, registeredAs, nth }: Pick<LogEntry, 'hook' | 'registeredAs' | 'nth'>): string {
  return `${hook}\n${registeredAs}\n${nth}`;
}

/** The payload before the handler of the entry changed it in place. */
export function payloadBefore(entry: LogEntry): Readonly<Record<string, unknown>> {
  const payload = isRecord(entry.payload) ? entry.payload : {};
  const input: Change | undefined = entry.changes?.find(({ member }) => member === 'input');
  return input === undefined || entry.event !== 'tool_call' ? payload : { ...payload, input: input.before };
}
