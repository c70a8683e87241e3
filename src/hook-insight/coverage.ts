import type { HookEventType } from '../hooks/events/hook-event';
import type { HookRunner } from '../hooks/dispatch/runner';
import { labelOf, samplesFor, type SampleFacts } from './samples';

/** Who would see one kind of event if it happened now. */
export interface Coverage {
  readonly type: HookEventType;
  /** The event in words, such as `tool_call bash`. */
  readonly label: string;
  /** Paths of hooks, in the order in which they would be asked. */
  readonly hooks: readonly string[];
}

/** Listed even when nobody listens: what people put gates and filters on. */
const ALWAYS: readonly HookEventType[] = ['tool_call', 'tool_result', 'input', 'before_agent_start', 'context'];

const FACTS: SampleFacts = { cwd: '', model: undefined, messages: [], sessionFile: undefined };

/** One line per event that somebody listens to, and the important ones; in order of importance. */
export function coverageOf(
  runner: Pick<HookRunner, 'deliveries' | 'hasHandlers'>,
  types: readonly HookEventType[],
): readonly Coverage[] {
  const listed = [...ALWAYS, ...types.filter(type => !ALWAYS.includes(type))];
  return listed.flatMap(type => {
    if (!ALWAYS.includes(type) && !runner.hasHandlers(type)) return [];
    const event = samplesFor(type === 'session_compacting' ? 'session.compacting' : type, FACTS).find(
      sample => sample.event.type === type,
    )?.event;
    if (event === undefined) return [];
    const hooks = [...new Set(runner.deliveries(event).map(({ hook }) => hook.path))];
    const label = 'toolName' in event ? `${type} ${event.toolName}` : labelOf(event);
    return [{ type, label, hooks }];
  });
}
