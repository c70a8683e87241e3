import { EVENT_NAMES, namesOf } from '../../hook-contract/events/event-table';
import type { HookEventType } from '../../hook-contract/hook-event';
import type { LoadedHook } from '../../hook-contract/loaded-hook';

/** The events that hooks get of sessions of other agents. */
const SENT: readonly HookEventType[] = [
  ...(['session_start', 'session_before_compact', 'session_compact', 'session_shutdown', 'session_stop'] as const),
  ...(['input', 'before_agent_start', 'agent_start', 'agent_end', 'agent_settled'] as const),
  ...(['tool_execution_start', 'tool_call', 'tool_result', 'tool_execution_end'] as const),
];
const SENT_NAMES: ReadonlySet<string> = new Set(SENT.flatMap(namesOf));

/** What a hook registered and another agent never uses. `getsTools`: hooks' tools reach the agent. */
export function unusedParts(
  { tools, commands, shortcuts, handlers }: LoadedHook,
  getsTools: boolean,
): readonly string[] {
  const unheard = handlers.filter(({ name }) => EVENT_NAMES.has(name) && !SENT_NAMES.has(name));
  return [
    ...(tools.size > 0 && !getsTools ? ['registerTool'] : []),
    ...(commands.size > 0 ? ['registerCommand'] : []),
    ...(shortcuts.size > 0 ? ['registerShortcut'] : []),
    ...new Set(unheard.map(({ name }) => `on("${name}")`)),
  ];
}
