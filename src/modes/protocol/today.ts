import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import { isFailedOrAborted, type AgentMessage } from '../../agent/messages';
import type { Protocol } from './protocol';
import { isCommandCall } from '../../hook-contract/called-as';

/** The protocol of today's pi: an update of an answer contains only the new part, and not the whole answer so far. */
export const todayProtocol: Protocol = {
  withdraws: true,

  recordsOf(event) {
    const { type } = event;
    if (type === 'turn_start') return [{ type }];
    if (type === 'turn_end') return [{ type, message: event.message, toolResults: event.toolResults }];
    if (type === 'message_start') return [{ type, message: begun(event.message) }];
    // `isError` is a member of the event in this version, and not of the result.
    if (type === 'tool_execution_end') return [{ ...event, result: { ...event.result, isError: undefined } }];
    if (type !== 'message_update') return [event];
    return [{ type, usage: event.message.usage, assistantMessageEvent: deltaOf(event.assistantMessageEvent) }];
  },

  hookError({ hookPath, event, message }, mode) {
    if (mode === 'json') return undefined;
    const error = { type: 'extension_error', error: message };
    // For a command, the record names the command; its file is named on stderr.
    return isCommandCall(event)
      ? { ...error, extensionPath: event, event: 'command' }
      : { ...error, extensionPath: hookPath, event };
  },
};

/** The first form of a message: the `stopReason` of an answer that has just begun is `pending`. */
function begun(message: AgentMessage): object {
  return message.role !== 'assistant' || isFailedOrAborted(message) ? message : { ...message, stopReason: 'pending' };
}

function deltaOf(event: AssistantMessageEvent): object {
  if (!('partial' in event)) return event;
  const { partial, ...delta } = event;
  if (delta.type !== 'toolcall_start') return delta;
  const call = partial.content[delta.contentIndex];
  return call?.type === 'toolCall' ? { ...delta, id: call.id, toolName: call.name } : delta;
}
