import type { SampleContext } from '../hook-contract/events/event-row';
import { EVENTS, namesOf } from '../hook-contract/events/event-table';
import type { HookEvent, HookEventType } from '../hook-contract/hook-event';

/** An event for trying a handler, with its name for the user. */
export interface SampleEvent {
  readonly label: string;
  readonly event: HookEvent;
}

/** Sample events of every kind that a handler registered under this name can get, the most likely first. */
export function samplesFor(registeredAs: string, facts: SampleContext): readonly SampleEvent[] {
  return (Object.keys(EVENTS) as HookEventType[])
    .filter(type => namesOf(type).includes(registeredAs))
    .flatMap(type => samplesOf(type, facts))
    .map(event => ({ label: labelOf(event), event }));
}

/** The sample events of one type, the most likely first. */
export function samplesOf(type: HookEventType, facts: SampleContext): readonly HookEvent[] {
  return EVENTS[type].samples(facts);
}

/** Names an event so that the user can distinguish it from others of its type. */
export function labelOf(event: HookEvent): string {
  if (event.type === 'tool_result') return `${event.type} ${event.toolName}, ${event.isError ? 'failed' : 'done'}`;
  if ('toolName' in event) return `${event.type} ${event.toolName}`;
  if ('reason' in event) return `${event.type}, ${event.reason}`;
  return event.type;
}

/**
 * Returns the sample with the members of a recorded event of its type, where the sample has a member of the same name
 * and kind of value. All other members stay as they are in the sample.
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

/** What a value is, in words: as `typeof`, but lists and null have their own. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}
