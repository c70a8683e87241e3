import { agentName } from '../../guard/protocol/agent-call';
import { toolFacts } from '../../agent/tools';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { hookRef } from '../../transcript/hook-ref';
import type { HookLog } from '../../hook-insight/recording/hook-log';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import type { RecordedSpan as KeptSpan } from '../../hook-insight/recording/log-span';
import type { LogDetails, LogRow, LogSpan } from '../../protocol/pages/log';
import { outcomeLine } from '../hooks-view/hook-words';

/** The entry for a key that the page sent; undefined when the log has no such entry or the key is not valid. */
export function findEntry(log: HookLog, key: string): LogEntry | undefined {
  const read = entryKey(key);
  return read === undefined ? undefined : log.find(read.run, read.seq);
}

/** The key by which the page names an entry. */
export function keyOf({ run, seq }: LogEntry): string {
  return `${run}:${seq}`;
}

/** Reads a key that the page sent; undefined when it is not valid. */
function entryKey(key: string): { readonly run: string; readonly seq: number } | undefined {
  const match = /^(\w+):(\d+)$/.exec(key);
  return match?.[1] === undefined ? undefined : { run: match[1], seq: Number(match[2]) };
}

/** The row of an entry in the log; `run` is the id of this window's run of the log. */
export function logRow(entry: LogEntry, run: string): LogRow {
  const {
    at,
    hook,
    event,
    registeredAs,
    nth,
    tool = '',
    ms,
    askedMs,
    waits = [],
    outcome,
    approvalReason,
    changes,
  } = entry;
  const { toolCallId: call } = entry;
  const subject = subjectOf(entry);
  const isAllowed = outcome.type === 'nothing' && approvalReason !== undefined;
  return {
    key: keyOf(entry),
    at,
    hookPath: hook,
    hook: hookRef(hook).name,
    event,
    registeredAs,
    nth,
    tool,
    outcome: isAllowed ? 'allowed' : outcome.type,
    text: outcomeLine(outcome, approvalReason).slice(0, 300),
    ms,
    askedMs,
    waits,
    conversation: placeOf(entry),
    ...defined({ call, subject, agent: entry.agent && agentName(entry.agent.name) }),
    changed: changes !== undefined,
    earlier: entry.run !== run,
  };
}

/** A bar in the log's time chart. */
export function spanOf(entry: KeptSpan): LogSpan {
  const { span, at, ms, tool, toolCallId: call } = entry;
  return {
    kind: span,
    conversation: placeOf(entry),
    ...defined({ call, tool }),
    at,
    ms,
  };
}

/** A unique name of a conversation. Ids of conversations start again in each window, so the run is part of the name. */
function placeOf({ run, conversation }: Pick<LogEntry, 'run' | 'conversation'>): string {
  return `${run}:${conversation}`;
}

function subjectOf({ event, tool, payload }: LogEntry): string | undefined {
  const input = isRecord(payload) ? payload['input'] : undefined;
  if (event !== 'tool_call' || tool === undefined || !isRecord(input)) return undefined;
  return toolFacts(tool).summarize(input).slice(0, 200);
}

/** The details of an entry; `file` is the absolute path of the file in which its handler is registered. */
export function detailsOf(entry: LogEntry, file: string): LogDetails {
  const { line, payload, returned, changes = [], dialogs = [], outcome, capped = false } = entry;
  const { stack } = outcome as { readonly stack?: unknown };
  return {
    key: keyOf(entry),
    file,
    ...defined({ line }),
    ...defined({ payload, returned }),
    changes,
    dialogs,
    ...(typeof stack === 'string' ? { stack } : {}),
    capped,
  };
}
