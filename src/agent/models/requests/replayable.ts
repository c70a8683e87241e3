import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from '@mariozechner/pi-ai';
import { isFailedOrAborted } from '../../messages';

const NO_RESULT = 'No result provided';

/**
 * The messages without results whose call is not in the answer right before them, or has its result already: providers refuse a
 * request that holds one. Such results remain if a summary or a hook removed only the call from the context.
 */
export function withoutStrayResults(messages: readonly Message[]): Message[] {
  let open: string[] = [];
  return messages.filter(message => {
    if (message.role === 'toolResult') {
      const at = open.indexOf(message.toolCallId);
      if (at >= 0) open.splice(at, 1);
      return at >= 0;
    }
    if (message.role === 'assistant' && !isFailedOrAborted(message)) open = callsOf(message).map(({ id }) => id);
    else if (message.role !== 'system') open = [];
    return true;
  });
}

/**
 * The messages that a model can be shown again, as pi-ai's own providers choose them: replies that failed or were aborted
 * are left out, and every tool call has its result right behind it, a made-up one when none came.
 */
export function replayable(messages: readonly Message[]): readonly Message[] {
  const kept: Message[] = [];
  let open: readonly ToolCall[] = [];
  const close = (): void => {
    kept.push(...open.map(missingResult));
    open = [];
  };
  for (const message of withoutStrayResults(messages)) {
    if (message.role === 'toolResult') {
      open = open.filter(({ id }) => id !== message.toolCallId);
      kept.push(message);
      continue;
    }
    close();
    if (message.role === 'assistant') {
      if (isFailedOrAborted(message)) continue;
      open = callsOf(message);
    }
    kept.push(message);
  }
  close();
  return kept;
}

/** A message from a hook may have no content. */
function callsOf({ content }: AssistantMessage): readonly ToolCall[] {
  return Array.isArray(content) ? content.filter(block => block.type === 'toolCall') : [];
}

function missingResult({ id, name }: ToolCall): ToolResultMessage {
  const content = [{ type: 'text' as const, text: NO_RESULT }];
  return { role: 'toolResult', toolCallId: id, toolName: name, content, isError: true, timestamp: Date.now() };
}
