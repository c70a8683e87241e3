import { isDeepStrictEqual } from 'node:util';
import type { LogEntry } from '../recording/log-entry';
import type { HandlerVerdict, ReplayedHandler } from './report';
import { defined } from '../../base/defined';

/** The parts of an entry that are compared. */
export function handlerVerdict({ outcome, returned, changes }: LogEntry): HandlerVerdict {
  return {
    outcome,
    ...defined({ returned, changes }),
  };
}

/** Whether a handler decides as it did before. Its line and duration do not matter. */
function isSameVerdict(before: HandlerVerdict | undefined, after: HandlerVerdict | undefined): boolean {
  if (before === undefined || after === undefined) {
    const only = before ?? after;
    return only === undefined || saysNothing(only);
  }
  return isDeepStrictEqual(comparable(before), comparable(after));
}

/** The status of a handler. `notes` name what differs from the recording: with any, a different verdict is `unsure`. */
export function statusOf(
  before: HandlerVerdict | undefined,
  after: HandlerVerdict | undefined,
  notes: readonly string[],
): ReplayedHandler['status'] {
  if (isSameVerdict(before, after)) return 'same';
  return notes.length > 0 ? 'unsure' : 'changed';
}

function saysNothing({ outcome, changes = [] }: HandlerVerdict): boolean {
  return outcome.type === 'nothing' && changes.length === 0;
}

function comparable({ outcome, returned = null, changes = [] }: HandlerVerdict): object {
  const kept: Record<string, unknown> = { ...outcome };
  for (const name of ['line', 'column', 'stack']) Reflect.deleteProperty(kept, name);
  return JSON.parse(JSON.stringify({ outcome: kept, returned, changes })) as object;
}
