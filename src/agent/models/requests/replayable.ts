import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from '@mariozechner/pi-ai';

const NO_RESULT = 'No result provided';

/**
 * The messages that a model can be shown again, as pi-ai's own providers choose them: replies that failed or were aborted
 * are left out, and every tool call has its result right behind it, a made-up one when none came. Results without their
 * call are dropped; providers refuse requests that hold one.
 */
export function replayable(messages: readonly Message[]): readonly Message[] {
  const kept: Message[] = [];
  let open: readonly ToolCall[] = [];
  let answered = new Set<string>();
  const close = (): void => {
    kept.push(...open.filter(({ id }) => !answered.has(id)).map(missingResult));
    open = [];
  };
  for (const message of messages) {
    if (message.role === 'toolResult') {
      if (!open.some(({ id }) => id === message.toolCallId) || answered.has(message.toolCallId)) continue;
      answered.add(message.toolCallId);
      kept.push(message);
      continue;
    }
    close();
    if (message.role === 'assistant') {
      if (!isWhole(message)) continue;
      open = message.content.filter(block => block.type === 'toolCall');
      answered = new Set();
    }
    kept.push(message);
  }
  close();
  return kept;
}

function isWhole({ stopReason }: AssistantMessage): boolean {
  return stopReason !== 'error' && stopReason !== 'aborted';
}

function missingResult({ id, name }: ToolCall): ToolResultMessage {
  const content = [{ type: 'text' as const, text: NO_RESULT }];
  return { role: 'toolResult', toolCallId: id, toolName: name, content, isError: true, timestamp: Date.now() };
}
