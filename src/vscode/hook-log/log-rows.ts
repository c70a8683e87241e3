import { hookRef } from '../../conversation/hook-ref';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import { outcomeText } from '../../hook-insight/recording/outcome-text';
import type { LogDetails, LogRow } from '../../protocol/log';

/** Names an entry towards the page. */
export function keyOf({ run, seq }: LogEntry): string {
  return `${run}:${seq}`;
}

/** Reads a key of the page; undefined for anything else. */
export function entryKey(key: string): { readonly run: string; readonly seq: number } | undefined {
  const match = /^(\w+):(\d+)$/.exec(key);
  return match?.[1] === undefined ? undefined : { run: match[1], seq: Number(match[2]) };
}

/** The line of an entry; `run` is that of this window. */
export function rowOf(entry: LogEntry, run: string): LogRow {
  const { at, hook, event, registeredAs, nth, tool = '', ms, askedMs, outcome, changes } = entry;
  const text = outcomeText(outcome).replace(/\s+/g, ' ').slice(0, 300);
  return {
    key: keyOf(entry),
    at,
    hookPath: hook,
    hook: hookRef(hook).name,
    event,
    registeredAs,
    nth,
    tool,
    outcome: outcome.type,
    text,
    ms,
    askedMs,
    changed: changes !== undefined,
    earlier: entry.run !== run,
  };
}

/** What the page shows of one entry; `file` is where its handler is registered. */
export function detailsOf(entry: LogEntry, file: string): LogDetails {
  const { line, conversation, payload, returned, changes = [], dialogs = [], outcome, capped = false } = entry;
  const { stack } = outcome as { readonly stack?: unknown };
  return {
    key: keyOf(entry),
    file,
    ...(line === undefined ? {} : { line }),
    conversation,
    ...(payload === undefined ? {} : { payload }),
    ...(returned === undefined ? {} : { returned }),
    changes,
    dialogs,
    ...(typeof stack === 'string' ? { stack } : {}),
    capped,
  };
}
