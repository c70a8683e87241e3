import type { AgentEvent } from '../../agent/events';
import type { SessionEvent } from '../session/session-events';

type ToolEnd = Extract<AgentEvent, { readonly type: 'tool_execution_end' }>;

/** An event of the agent as clients get it; `willRetry` is called at the end of a run. */
export function watchedEvent(event: AgentEvent, willRetry: () => boolean): SessionEvent {
  if (event.type === 'agent_end') return { ...event, willRetry: willRetry() };
  return event.type === 'tool_execution_end' ? withoutOutcome(event) : event;
}

/** The outcome is for the cards. */
function withoutOutcome({ outcome: _outcome, ...told }: ToolEnd): SessionEvent {
  return told;
}
