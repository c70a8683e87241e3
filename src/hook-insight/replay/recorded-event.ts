import { prepareEditArguments } from '../../agent/tools/files/editing/edit-arguments';
import type { HookEvent } from '../../hook-contract/hook-event';
import type { LogEntry } from '../recording/log-entry';
import { MARK } from '../../base/text/redact';
import { UNREAD } from '../recording/snapshot';
import type { SampleContext } from '../../hook-contract/events/event-row';
import { rowOf, STREAMED } from '../../hook-contract/events/event-table';
import { samplesFor, type SampleEvent, kindOf } from '../samples';
import { payloadBefore } from './recorded-dispatch';
import { isRecord } from '../../base/json/is-record';

/** What is needed to repeat a recorded dispatch; `none` when it cannot be repeated. */
export type RecordedEvent =
  | {
      readonly type: 'event';
      readonly event: HookEvent;
      /** What is missing in the recording, in words for the user; empty when nothing is. */
      readonly gaps: readonly string[];
    }
  | { readonly type: 'command'; readonly name: string; readonly args: string; readonly gaps: readonly string[] }
  | { readonly type: 'none'; readonly why: string };

const CUT = /… \[\d+ more characters\]|\[\d+ more (?:elements|members)\]|\[too deep\]/;

/**
 * Builds the event of a log entry from the payload of its handler: a sample event of the same type, with the recorded
 * members in place of its own. `gaps` says what is missing in the recording.
 */
export function recordedEvent(entry: LogEntry, facts: SampleContext): RecordedEvent {
  const payload = payloadBefore(entry);
  const command = /^command:(.+)$/.exec(entry.event)?.[1];
  if (command !== undefined) {
    const { args } = payload;
    return { type: 'command', name: command, args: typeof args === 'string' ? args : '', gaps: gapsIn(payload, entry) };
  }
  if (STREAMED.has(entry.event)) {
    return { type: 'none', why: 'the recording has only the new piece of text of this event' };
  }
  if (entry.event === 'context') {
    return { type: 'none', why: 'the recording has message lists without their text' };
  }
  const sample = sampleFor(entry, payload, facts);
  if (sample === undefined) return { type: 'none', why: `the event "${entry.event}" no longer exists` };
  return laidOver(sample, payload, entry);
}

/** The reasons for a new session, in V1 and in later dialects. */
const NEW_SESSION_REASONS: ReadonlySet<unknown> = new Set(['new', 'before_new', 'clear', 'before_clear']);

function sampleFor(
  { event, registeredAs }: LogEntry,
  payload: Readonly<Record<string, unknown>>,
  facts: SampleContext,
): HookEvent | undefined {
  const all = samplesFor(registeredAs, facts).filter((sample: SampleEvent) => sample.event.type === event);
  const { reason } = payload;
  const isNew = NEW_SESSION_REASONS.has(reason);
  const wanted = all.find(sample => 'reason' in sample.event && (sample.event.reason === 'new') === isNew);
  return (wanted ?? all[0])?.event;
}

function laidOver(sample: HookEvent, payload: Readonly<Record<string, unknown>>, entry: LogEntry): RecordedEvent {
  const event: Record<string, unknown> = { ...sample };
  const gaps = new Set<string>();
  // V1's `session` has other names for reasons; the sample was chosen by them.
  const skipped = entry.registeredAs === 'session' ? 'reason' : undefined;
  for (const name of Object.keys(rowOf(sample.type).members)) {
    if (name === skipped) continue;
    const given = revived(payload[name]);
    const made = event[name];
    const fits =
      given !== undefined &&
      given !== UNREAD &&
      (made === undefined || made === null || kindOf(given) === kindOf(made));
    if (fits) event[name] = given;
    else if (payload[name] === UNREAD || (given !== undefined && kindOf(made) === 'list')) {
      gaps.add(`"${name}" has a made-up value`);
    }
  }
  for (const gap of gapsIn(payload, entry)) gaps.add(gap);
  // A hook of an older dialect got a single edit in its old form.
  if (event['toolName'] === 'edit') event['input'] = prepareEditArguments(event['input']);
  return { type: 'event', event: event as HookEvent, gaps: [...gaps] };
}

/** Says what was removed from the payload and from the user's answers before they were recorded. */
function gapsIn(payload: Readonly<Record<string, unknown>>, entry: LogEntry): readonly string[] {
  const text = JSON.stringify(payload);
  return [
    ...(text.includes(MARK) ? ['secrets are [redacted] in the recording'] : []),
    ...(CUT.test(text) ? ['long parts were cut in the recording'] : []),
    ...gapsInAnswers(entry),
  ];
}

/** Says, for the user, what was removed from the recorded answers: without it, a hook may decide differently. */
export function gapsInAnswers({ dialogs = [] }: LogEntry): readonly string[] {
  const text = JSON.stringify(dialogs);
  return [
    ...(text.includes(MARK) ? ['answers of the user are [redacted] in the recording'] : []),
    ...(CUT.test(text) ? ['long answers of the user were cut in the recording'] : []),
  ];
}

/** Copies plain data and restores sets and maps from the form in which the log stores them. */
function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (!isRecord(value)) return value;
  const { '[Set]': set, '[Map]': map } = value;
  if (Array.isArray(set)) return new Set(set.map(revived));
  if (Array.isArray(map)) return new Map(map.map(pair => revived(pair) as [unknown, unknown]));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revived(member)]));
}
