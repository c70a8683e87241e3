import type { AgentEvent } from '../../agent/run/events';
import type { ChildCall } from '../../hook-run/host/child-call';
import { storedOutcome } from '../../transcript/stored-outcome';
import { defined } from '../../base/defined';

/** A step of a call in an agent that a tool started, as a step of a call that the tool made. */
export function childEvent({ parentToolCallId, step }: ChildCall): AgentEvent {
  const call = { toolCallId: step.id, toolName: step.name, parentToolCallId };
  if (step.step === 'start') return { type: 'tool_execution_start', ...call, args: step.args };
  const { isError, error, durationMs } = step;
  return {
    type: 'tool_execution_end',
    ...call,
    isError,
    result: { content: [{ type: 'text', text: error }], details: undefined },
    // The agent is another process, which only sends the text of its outcome.
    outcome: storedOutcome(error, isError),
    ...defined({ durationMs }),
  };
}
