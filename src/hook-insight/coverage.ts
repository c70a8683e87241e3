import type { HookEventType } from '../hooks/events/hook-event';
import type { HookRunner } from '../hooks/dispatch/runner';
import type { SampleFacts } from '../hooks/events/event-row';
import { EVENTS, EVENT_TYPES } from '../hooks/events/event-table';
import { labelOf, samplesOf } from './samples';

/** Who would see one kind of event if it happened now. */
export interface Coverage {
  readonly type: HookEventType;
  /** The event in words, such as `tool_call bash`. */
  readonly label: string;
  /** Paths of hooks, in the order in which they would be asked. */
  readonly hooks: readonly string[];
}

const FACTS: SampleFacts = { cwd: '', model: undefined, messages: [], sessionFile: undefined };

/** One line per event that somebody listens to, and the important ones; in order of importance. */
export function coverageOf(runner: Pick<HookRunner, 'deliveries' | 'hasHandlers'>): readonly Coverage[] {
  return EVENT_TYPES.flatMap(type => {
    if (EVENTS[type].isAlwaysListed !== true && !runner.hasHandlers(type)) return [];
    const [event] = samplesOf(type, FACTS);
    if (event === undefined) return [];
    const hooks = [...new Set(runner.deliveries(event).map(({ hook }) => hook.path))];
    const label = 'toolName' in event ? `${type} ${event.toolName}` : labelOf(event);
    return [{ type, label, hooks }];
  });
}
