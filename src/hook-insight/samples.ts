import type { SampleContext } from '../hooks/events/event-row';
import { EVENTS, namesOf } from '../hooks/events/event-table';
import type { HookEvent, HookEventType } from '../hooks/events/hook-event';

/** An event to try a handler with, and how to name it to people. */
export interface SampleEvent {
  readonly label: string;
  readonly event: HookEvent;
}

/** Events of every kind that a handler registered under this name may get, the likeliest first. */
export function samplesFor(registeredAs: string, facts: SampleContext): readonly SampleEvent[] {
  return (Object.keys(EVENTS) as HookEventType[])
    .filter(type => namesOf(type).includes(registeredAs))
    .flatMap(type => samplesOf(type, facts))
    .map(event => ({ label: labelOf(event), event }));
}

/** The samples of one event, the likeliest first. */
export function samplesOf(type: HookEventType, facts: SampleContext): readonly HookEvent[] {
  return EVENTS[type].samples(facts);
}

/** What tells one event from another of its type, in a few words. */
export function labelOf(event: HookEvent): string {
  if (event.type === 'tool_result') return `${event.type} ${event.toolName}, ${event.isError ? 'failed' : 'done'}`;
  if ('toolName' in event) return `${event.type} ${event.toolName}`;
  if ('reason' in event) return `${event.type}, ${event.reason}`;
  return event.type;
}

/**
 * A sample with what was recorded of a real event of its type laid over: members that the sample has too, of the same
 * kind. What was recorded in part stays as in the sample.
 */
export function withRecorded<E extends HookEvent>(sample: E, recorded: Readonly<Record<string, unknown>>): E {
  const event: Record<string, unknown> = { ...sample };
  for (const [name, value] of Object.entries(sample)) {
    const given = recorded[name];
    if (given === undefined || name === 'type' || kindOf(given) !== kindOf(value)) continue;
    event[name] = given;
  }
  return event as E;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}
