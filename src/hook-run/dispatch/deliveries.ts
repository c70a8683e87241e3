import type { BuildPayload } from '../../hook-contract/events/event-row';
import { rowOf } from '../../hook-contract/events/event-table';
import type { HookEvent } from '../../hook-contract/hook-event';
import type { LoadedHook, RegisteredHandler } from '../../hook-contract/loaded-hook';

/** A handler that gets an event, and the event in the handler's dialect. */
export interface HandlerDelivery {
  readonly hook: LoadedHook;
  readonly handler: RegisteredHandler;
  readonly buildPayload: BuildPayload;
}

/** The deliveries of a step to one file: every handler registered under a name of the step, in order of registration. */
export function deliveriesIn(hook: LoadedHook, event: HookEvent): readonly HandlerDelivery[] {
  if (hook.handlers.length === 0) return [];
  const names = rowOf(event.type).names.filter(name => name.reaches?.(event, hook) ?? true);
  const deliveries: HandlerDelivery[] = [];
  for (const handler of hook.handlers) {
    const known = names.find(({ name }) => name === handler.name);
    if (known === undefined) continue;
    deliveries.push({ hook, handler, buildPayload: known.payload ?? copyNamed(known.name, event) });
  }
  return deliveries;
}

function copyNamed(type: string, event: HookEvent): BuildPayload {
  return type === event.type ? copyOf : payload => ({ ...payload, type });
}

const copyOf: BuildPayload = event => ({ ...event });

/** The key of a plan of deliveries: events with the same key have the same plan, as long as the files stay the same. */
export function planKey(event: HookEvent): string {
  if ('reason' in event) return `${event.type} ${event.reason}`;
  // Not every dialect has messages of each role.
  const role = 'message' in event ? event.message?.role : undefined;
  return role === 'system' || event.type === 'before_agent_start' ? `${event.type} ${role}` : event.type;
}
