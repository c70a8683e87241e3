import type { HookEventType } from '../hook-contract/hook-event';
import type { HookRunner } from '../hook-run/dispatch/runner';
import type { HookHost } from '../hook-run/host/host';
import type { SampleContext } from '../hook-contract/events/event-row';
import { EVENTS, EVENT_TYPES, namesOf } from '../hook-contract/events/event-table';
import { labelOf, samplesOf } from './samples';

/** Which hooks would get one kind of event if it happened now. */
export interface Coverage {
  readonly type: HookEventType;
  /** The event in words, such as `tool_call bash`. */
  readonly label: string;
  /** Paths of hooks, in the order in which they would be called. */
  readonly hooks: readonly string[];
  /** Paths of the hooks that ship with Hookline; they are called after all others. */
  readonly builtIn: readonly string[];
}

type Runner = Pick<HookRunner, 'deliveries' | 'hasHandlers'>;

const FACTS: SampleContext = { cwd: '', model: undefined, messages: [], sessionFile: undefined };

/** Lists each event that a hook listens to, and the important events in any case; the most important first. */
export function coverageOf({
  runner,
  builtIn,
}: Pick<HookHost, 'builtIn'> & { readonly runner: Runner }): readonly Coverage[] {
  return EVENT_TYPES.flatMap(type => {
    if (EVENTS[type].isAlwaysListed !== true && !runner.hasHandlers(type)) return [];
    const [event] = samplesOf(type, FACTS);
    if (event === undefined) return [];
    const hooks = [...new Set(runner.deliveries(event).map(({ hook }) => hook.path))];
    const shipped = builtIn.filter(info => info.handlers.some(handler => namesOf(type).includes(handler.event)));
    const label = 'toolName' in event ? `${type} ${event.toolName}` : labelOf(event);
    return [{ type, label, hooks, builtIn: shipped.map(({ path }) => path) }];
  });
}
