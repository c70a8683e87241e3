import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { AgentMessage } from '../../agent/messages';
import type { Protocol } from './protocol';
import { isCommandCall } from '../../hooks/called-as';

/** The protocol as of pi 1.5.2: updates of an answer hold what is new and no copy of all that came before. */
export const todayProtocol: Protocol = {
  recordsOf(event) {
    const { type } = event;
    if (type === 'turn_start') return [{ type }];
    if (type === 'turn_end') return [{ type, message: event.message, toolResults: event.toolResults }];
    if (type === 'message_start') return [{ type, message: begun(event.message) }];
    // Whether it failed is beside the result.
    if (type === 'tool_execution_end') return [{ ...event, result: { ...event.result, isError: undefined } }];
    if (type !== 'message_update') return [event];
    return [{ type, usage: event.message.usage, assistantMessageEvent: deltaOf(event.assistantMessageEvent) }];
  },

  hookError({ hookPath, event, message }, mode) {
    if (mode === 'json') return undefined;
    const error = { type: 'extension_error', error: message };
    // The file of a command is named on stderr.
    return isCommandCall(event)
      ? { ...error, extensionPath: event, event: 'command' }
      : { ...error, extensionPath: hookPath, event };
  },
};

/** An answer that begins has no reason to have stopped yet. */
function begun(message: AgentMessage): object {
  if (message.role !== 'assistant' || message.stopReason === 'error' || message.stopReason === 'aborted') {
    return message;
  }
  return { ...message, stopReason: 'pending' };
}

function deltaOf(event: AssistantMessageEvent): object {
  if (!('partial' in event)) return event;
  const { partial, ...delta } = event;
  if (delta.type !== 'toolcall_start') return delta;
  const call = partial.content[delta.contentIndex];
  return call?.type === 'toolCall' ? { ...delta, id: call.id, toolName: call.name } : delta;
}
