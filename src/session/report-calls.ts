import { defined } from '../base/defined';
import type { Disposable } from '../base/disposable';
import type { ChildStep } from '../hook-run/host/child-call';
import { outputText } from '../transcript/message-text';
import type { Conversation } from './conversation';

/** Number of characters that are shown of the result of a failed call. */
const LONGEST_ERROR = 500;

/** Reports each step of the tool calls of this agent to the process that started it. */
export function reportCalls(conversation: Conversation, onStep: (step: ChildStep) => void): Disposable {
  return conversation.onDidHappen(event => {
    if (event.type === 'tool_execution_start') {
      const { toolCallId: id, toolName: name, args } = event;
      onStep({ step: 'start', id, name, args });
    } else if (event.type === 'tool_execution_end') {
      const { toolCallId: id, toolName: name, isError, durationMs, result } = event;
      const error = isError ? outputText(result).slice(0, LONGEST_ERROR) : '';
      onStep({ step: 'end', id, name, isError, error, ...defined({ durationMs }) });
    }
  });
}
